// The cases of every CUDA kernel, which run on a GPU and, by the fibres of tests/trainer/kernels/cuda_on_cpu, on the
// CPU. They need no googletest: cases are functions, a failed check throws.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace carrack::gpu_test {

struct Case {
  const char* name;
  void (*run)();
};

inline void check(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

std::vector<Case> attention_cases();
std::vector<Case> convolution_cases();
std::vector<Case> elementwise_cases();
std::vector<Case> executor_cases();
std::vector<Case> losses_cases();
std::vector<Case> matrix_cases();
std::vector<Case> normalization_cases();
std::vector<Case> pooling_cases();
std::vector<Case> recurrent_cases();
std::vector<Case> rows_cases();
std::vector<Case> sums_cases();
std::vector<Case> update_cases();

// All of the above. None in a build without CUDA, which lacks most of these kernels.
std::vector<Case> all_cases();

}  // namespace carrack::gpu_test
