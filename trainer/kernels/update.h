// One update of parameters by an optimizer such as Adam, from the sum of the gradients of a batch. Parameter servers
// call the functions of cpu::, through optimizer/optimizer.h, for their range of the flat parameter buffer (layout.h);
// only tests call those of cuda::. The settings of an update are a struct such as AdamStep. Each element is computed
// separately, with rounding after every operation, so the bits are the same on any device, however the buffer is cut
// into ranges. The order of operations is that of Keras on TensorFlow.
//
// All arguments of a function must have the same size: cuda:: throws Error with Blame::bug if they differ, cpu:: does
// not check. The new parameters are written to `updated`, which may be `parameters` or `gradient_sum` itself; the state
// (`velocity`, `m`, `v`, `accumulator`) is changed in place. Functions of cuda:: start their work on the default stream
// and return immediately; they throw Error with Blame::platform if it cannot be started.
#pragma once

#include <limits>
#include <span>

#include "trainer/kernels/device.h"

namespace carrack::train {

// How the gradient g of the formulas below is made from a sum of gradients: c is factor * gradient_sum, limited to
// [-limit, limit], and g = scale * c. NaN stays NaN.
struct GradientStep {
  float factor = 1;  // such as 1 / the number of records, for the mean of their gradients
  float limit = std::numeric_limits<float>::infinity();
  float scale = 1;
};

// updated = parameters - rate g
struct SgdStep {
  float rate;
  GradientStep gradient = {};
};

// velocity = velocity momentum - rate g; updated = parameters + velocity, or with Nesterov's rule
// updated = parameters + (velocity momentum - rate g)
struct MomentumStep {
  float rate;
  float momentum;
  bool nesterov = false;
  GradientStep gradient = {};
};

// m += (g - m) (1 - beta1); v += (g g - v) (1 - beta2);
// updated = parameters - (m rate) / (sqrt(v) + epsilon)
// `rate` is the learning rate times the bias correction of the step.
struct AdamStep {
  float rate;
  float one_minus_beta1;
  float one_minus_beta2;
  float epsilon;
  GradientStep gradient = {};
};

// m and v as in AdamStep;
// updated = (parameters - parameters weight_decay learning_rate) - (m rate) / (sqrt(v) + epsilon)
struct AdamWStep {
  AdamStep adam;
  float learning_rate;  // the learning rate without the bias correction
  float weight_decay;
};

// accumulator += g g; updated = parameters - (rate g) / sqrt(accumulator + epsilon)
struct AdagradStep {
  float rate;
  float epsilon;
  GradientStep gradient = {};
};

// v = rho v + (1 - rho) (g g); updated = parameters - (rate g) / sqrt(v + epsilon)
struct RmsPropStep {
  float rate;
  float rho;
  float one_minus_rho;
  float epsilon;
  GradientStep gradient = {};
};

// For tensors that are not trained but follow a mean, such as that of BatchNorm (NamedShape::own_rate in layout.h):
// updated = parameters + (factor gradient_sum - parameters) rate, but factor gradient_sum if the rate is 1
struct AverageStep {
  float rate;    // own_rate
  float factor;  // 1 / the number of records
};

namespace cpu {

void sgd(SgdStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
         std::span<float> updated);
void momentum(MomentumStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
              std::span<float> velocity, std::span<float> updated);
void adam(AdamStep step, std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> m,
          std::span<float> v, std::span<float> updated);
void adamw(AdamWStep step, std::span<const float> parameters, std::span<const float> gradient_sum, std::span<float> m,
           std::span<float> v, std::span<float> updated);
void adagrad(AdagradStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
             std::span<float> accumulator, std::span<float> updated);
void rms_prop(RmsPropStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
              std::span<float> v, std::span<float> updated);

// Applies an AverageStep. cuda:: has no such function.
void average(AverageStep step, std::span<const float> parameters, std::span<const float> gradient_sum,
             std::span<float> updated);

// For clipping by the norm: returns the sum of g g over all elements, in double precision, added in an order that
// depends only on the number of elements. cuda:: has no such function.
double sum_of_squares(GradientStep step, std::span<const float> gradient_sum);

}  // namespace cpu

namespace cuda {

void sgd(SgdStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& updated);
void momentum(MomentumStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& velocity,
              Buffer& updated);
void adam(AdamStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& m, Buffer& v, Buffer& updated);
void adamw(AdamWStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& m, Buffer& v, Buffer& updated);
void adagrad(AdagradStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& accumulator,
             Buffer& updated);
void rms_prop(RmsPropStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& v, Buffer& updated);

}  // namespace cuda
}  // namespace carrack::train
