// Loops over elements for the kernels of this folder. They use plain pointers, because hardened builds check the bounds
// of spans, and compilers do not vectorise a loop with such checks. Sizes are not checked.
#pragma once

#include <cstddef>
#include <span>

namespace carrack::train::cpu {

// y[i] = function(x[i]). The spans must have the same size.
template <class Function>
void for_each_element(std::span<const float> x, std::span<float> y, const Function& function) {
  const float* const from = x.data();
  float* const to = y.data();
  for (std::size_t i = 0, size = x.size(); i < size; ++i) to[i] = function(from[i]);
}

// result[i] = function(a[i], b[i]). The spans must have the same size.
template <class Function>
void for_each_element(std::span<const float> a, std::span<const float> b, std::span<float> result,
                      const Function& function) {
  const float *const left = a.data(), *const right = b.data();
  float* const to = result.data();
  for (std::size_t i = 0, size = a.size(); i < size; ++i) to[i] = function(left[i], right[i]);
}

}  // namespace carrack::train::cpu
