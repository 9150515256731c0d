#include "trainer/kernels/update.h"

#include <cmath>
#include <cstddef>

namespace carrack::train::cpu {

void sgd(SgdStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
         std::span<float> updated) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    updated[i] = parameters[i] - step.rate * (gradient_sum[i] / step.divisor);
  }
}

void adam(AdamStep step, std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> m,
          std::span<float> v, std::span<float> updated) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float gradient = gradient_sum[i] / step.divisor;
    m[i] += (gradient - m[i]) * step.one_minus_beta1;
    v[i] += (gradient * gradient - v[i]) * step.one_minus_beta2;
    updated[i] = parameters[i] - (m[i] * step.rate) / (std::sqrt(v[i]) + step.epsilon);
  }
}

}  // namespace carrack::train::cpu
