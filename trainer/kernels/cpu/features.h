// Finds the instruction sets of the processor. The trainer, and the library for users' own workers (trainer/library),
// check them at the start, so that they fail with a message and not with an illegal instruction. has() in
// kernels/matrix.h, by which kernels are chosen, reads them, too.
#pragma once

#include <string>

namespace carrack::train::cpu {

// Instruction sets of x86-64 that the processor has and the system supports. On other architectures all are false.
struct CpuFeatures {
  bool avx2 = false;
  bool fma = false;
  bool bmi1 = false;
  bool bmi2 = false;
  bool f16c = false;
  bool lzcnt = false;
  bool movbe = false;
  bool avx512f = false;
};

// Reads them from the processor at each call.
CpuFeatures features_of_this_processor();

// Returns an empty string if `features` are enough for the trainer: all but avx512f, which together are x86-64-v3. Else
// returns a message for the user, such as "this processor lacks AVX2 and FMA; Carrack's trainer needs x86-64-v3, ...".
std::string missing_cpu_features(const CpuFeatures& features);

// The same for the features of this processor. Always returns an empty string on architectures other than x86-64.
std::string missing_cpu_features();

}  // namespace carrack::train::cpu
