#include "tests/gpu/cases.h"

namespace carrack::gpu_test {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto cases :
       {attention_cases, convolution_cases, elementwise_cases, executor_cases, losses_cases, matrix_cases,
        normalization_cases, pooling_cases, recurrent_cases, rows_cases, sums_cases, update_cases}) {
    const std::vector<Case> some = cases();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace carrack::gpu_test
