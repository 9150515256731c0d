// Optimizer updates over a range of the flat parameter buffer: each rule once for cpu and once for cuda.
// Both round after every operation and work element by element, so that they give the same bits for the same input on
// any device and however the buffer is cut into ranges. `updated` may be `parameters` itself; the state is changed in
// place.
#pragma once

#include <span>

#include "trainer/kernels/device.h"

namespace carrack::train {

// g = gradient_sum / divisor; updated = parameters - rate g
struct SgdStep {
  float rate;
  float divisor = 1;
};

// g as above; m += (g - m) (1 - beta1); v += (g g - v) (1 - beta2); updated = parameters - (m rate) / (sqrt(v) +
// epsilon) This is the order of operations of TensorFlow. The bias correction of the step is in `rate`.
struct AdamStep {
  float rate;
  float one_minus_beta1;
  float one_minus_beta2;
  float epsilon;
  float divisor = 1;
};

namespace cpu {

void sgd(SgdStep by, std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> updated);
void adam(AdamStep by, std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> m,
          std::span<float> v, std::span<float> updated);

}  // namespace cpu

namespace cuda {

void sgd(SgdStep by, const Buffer& parameters, const Buffer& gradient_sum, Buffer& updated);
void adam(AdamStep by, const Buffer& parameters, const Buffer& gradient_sum, Buffer& m, Buffer& v, Buffer& updated);

}  // namespace cuda
}  // namespace carrack::train
