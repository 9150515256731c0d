// Which instruction sets the processor has, and whether they are enough for the trainer.
#pragma once

#include <string>

namespace carrack::train::cpu {

// Instruction sets of x86-64 that the processor has and the system supports. On other architectures all are false.
struct Features {
  bool avx2 = false;
  bool fma = false;
  bool bmi1 = false;
  bool bmi2 = false;
  bool f16c = false;
  bool lzcnt = false;
  bool movbe = false;
  bool avx512f = false;
};
Features features_of_this_processor();

// Returns an empty string if the processor has all features of x86-64-v3 (all of Features but avx512f), else a message
// for the user that names the missing ones.
std::string missing_for_trainer(const Features& features);

// Checks the features of this processor. Always returns an empty string on architectures other than x86-64.
std::string missing_for_trainer();

}  // namespace carrack::train::cpu
