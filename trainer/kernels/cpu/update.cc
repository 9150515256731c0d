#include "trainer/kernels/update.h"

#include <cmath>
#include <cstddef>

namespace carrack::train::cpu {

void sgd(SgdStep by, std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> updated) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    updated[i] = parameters[i] - by.rate * (gradient_sum[i] / by.divisor);
  }
}

void adam(AdamStep by, std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> m,
          std::span<float> v, std::span<float> updated) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float gradient = gradient_sum[i] / by.divisor;
    m[i] += (gradient - m[i]) * by.one_minus_beta1;
    v[i] += (gradient * gradient - v[i]) * by.one_minus_beta2;
    updated[i] = parameters[i] - (m[i] * by.rate) / (std::sqrt(v[i]) + by.epsilon);
  }
}

}  // namespace carrack::train::cpu
