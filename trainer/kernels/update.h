// Optimizer updates over a range of the flat parameter buffer, for the CPU and for CUDA. Both work element by element
// and round after every operation, so they give the same bits on any device and however the buffer is cut into ranges.
// All arguments have the same size. `updated` may be `parameters` or
// `gradient_sum` itself; `m` and `v` are changed in place.
#pragma once

#include <span>

#include "trainer/kernels/device.h"

namespace carrack::train {

// g = gradient_sum / divisor; updated = parameters - rate g
struct SgdStep {
  float rate;
  float divisor = 1;
};

// g as above; m += (g - m) (1 - beta1); v += (g g - v) (1 - beta2);
// updated = parameters - (m rate) / (sqrt(v) + epsilon)
// The order of operations is TensorFlow's. `rate` includes the bias correction of the step.
struct AdamStep {
  float rate;
  float one_minus_beta1;
  float one_minus_beta2;
  float epsilon;
  float divisor = 1;
};

namespace cpu {

void sgd(SgdStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
         std::span<float> updated);
void adam(AdamStep step, std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> m,
          std::span<float> v, std::span<float> updated);

}  // namespace cpu

namespace cuda {

void sgd(SgdStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& updated);
void adam(AdamStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& m, Buffer& v, Buffer& updated);

}  // namespace cuda
}  // namespace carrack::train
