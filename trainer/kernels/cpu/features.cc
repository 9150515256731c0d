#include "trainer/kernels/cpu/features.h"

#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace carrack::train::cpu {

CpuFeatures features_of_this_processor() {
  CpuFeatures features;
#if defined(__x86_64__)
  features.avx2 = __builtin_cpu_supports("avx2");
  features.fma = __builtin_cpu_supports("fma");
  features.bmi1 = __builtin_cpu_supports("bmi");
  features.bmi2 = __builtin_cpu_supports("bmi2");
  features.avx512f = __builtin_cpu_supports("avx512f");
  // Not all compilers have names for the other features, so they are read by CPUID. It does not say whether the
  // operating system supports them, but a system that supports AVX2 (checked above) does.
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    features.f16c = (c & bit_F16C) != 0;
    features.movbe = (c & bit_MOVBE) != 0;
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d)) features.lzcnt = (c & bit_LZCNT) != 0;
#endif
  return features;
}

std::string missing_cpu_features(const CpuFeatures& features) {
  std::vector<std::string> missing;
  if (!features.avx2) missing.emplace_back("AVX2");
  if (!features.fma) missing.emplace_back("FMA");
  if (!features.bmi1) missing.emplace_back("BMI1");
  if (!features.bmi2) missing.emplace_back("BMI2");
  if (!features.f16c) missing.emplace_back("F16C");
  if (!features.lzcnt) missing.emplace_back("LZCNT");
  if (!features.movbe) missing.emplace_back("MOVBE");
  if (missing.empty()) return "";
  std::string list = missing.front();
  for (std::size_t i = 1; i < missing.size(); ++i) list += (i + 1 < missing.size() ? ", " : " and ") + missing[i];
  return "this processor lacks " + list +
         "; Carrack's trainer needs x86-64-v3, that is Intel Haswell, AMD Excavator or later";
}

std::string missing_cpu_features() {
#if defined(__x86_64__)
  return missing_cpu_features(features_of_this_processor());
#else
  return "";
#endif
}

}  // namespace carrack::train::cpu
