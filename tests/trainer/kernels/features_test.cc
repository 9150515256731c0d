#include "trainer/kernels/cpu/features.h"

#include <gtest/gtest.h>

namespace carrack::train::cpu {
namespace {

constexpr CpuFeatures enough{
    .avx2 = true, .fma = true, .bmi1 = true, .bmi2 = true, .f16c = true, .lzcnt = true, .movbe = true};

TEST(CpuFeatures, OfHaswellAreEnough) {
  EXPECT_EQ(missing_cpu_features(enough), "");
}

TEST(CpuFeatures, ThatAreMissingAreNamed) {
  const std::string needed = "; Carrack's trainer needs x86-64-v3, that is Intel Haswell, AMD Excavator or later";
  CpuFeatures features = enough;
  features.avx2 = false;
  EXPECT_EQ(missing_cpu_features(features), "this processor lacks AVX2" + needed);
  features.fma = false;
  EXPECT_EQ(missing_cpu_features(features), "this processor lacks AVX2 and FMA" + needed);
  EXPECT_EQ(missing_cpu_features(CpuFeatures{}),
            "this processor lacks AVX2, FMA, BMI1, BMI2, F16C, LZCNT and MOVBE" + needed);
}

TEST(CpuFeatures, OfThisProcessorFitTogether) {
  const CpuFeatures features = features_of_this_processor();
  EXPECT_TRUE(features.avx2 || !features.avx512f);
  EXPECT_TRUE(features.fma || !features.avx2);
}

}  // namespace
}  // namespace carrack::train::cpu
