#include "trainer/kernels/update.h"

#include <initializer_list>
#include <string>

#include "trainer/kernels/cuda/launch.cuh"

namespace carrack::train::cuda {
namespace {

// The rules below are those of cpu/update.cc, for one element. The intrinsics keep nvcc from fusing a product and a
// sum, which would round once where the CPU rounds twice.

__device__ float gradient_of(const GradientStep& step, float sum) {
  const float gradient = __fmul_rn(sum, step.factor);
  const float above = gradient < -step.limit ? -step.limit : gradient;
  return __fmul_rn(above > step.limit ? step.limit : above, step.scale);
}

struct SgdRule {
  SgdStep step;

  __device__ float operator()(float parameter, float sum) const {
    return __fsub_rn(parameter, __fmul_rn(step.rate, gradient_of(step.gradient, sum)));
  }
};

struct MomentumRule {
  MomentumStep step;

  __device__ float operator()(float parameter, float sum, float& velocity) const {
    const float change = __fmul_rn(step.rate, gradient_of(step.gradient, sum));
    velocity = __fsub_rn(__fmul_rn(velocity, step.momentum), change);
    return __fadd_rn(parameter, step.nesterov ? __fsub_rn(__fmul_rn(velocity, step.momentum), change) : velocity);
  }
};

__device__ float adam_change(const AdamStep& step, float sum, float& m, float& v) {
  const float gradient = gradient_of(step.gradient, sum);
  const float square = __fmul_rn(gradient, gradient);
  m = __fadd_rn(m, __fmul_rn(__fsub_rn(gradient, m), step.one_minus_beta1));
  v = __fadd_rn(v, __fmul_rn(__fsub_rn(square, v), step.one_minus_beta2));
  return __fdiv_rn(__fmul_rn(m, step.rate), __fadd_rn(__fsqrt_rn(v), step.epsilon));
}

struct AdamRule {
  AdamStep step;

  __device__ float operator()(float parameter, float sum, float& m, float& v) const {
    return __fsub_rn(parameter, adam_change(step, sum, m, v));
  }
};

struct AdamWRule {
  AdamWStep step;

  __device__ float operator()(float parameter, float sum, float& m, float& v) const {
    const float decay = __fmul_rn(__fmul_rn(parameter, step.weight_decay), step.learning_rate);
    return __fsub_rn(__fsub_rn(parameter, decay), adam_change(step.adam, sum, m, v));
  }
};

struct AdagradRule {
  AdagradStep step;

  __device__ float operator()(float parameter, float sum, float& accumulator) const {
    const float gradient = gradient_of(step.gradient, sum);
    accumulator = __fadd_rn(accumulator, __fmul_rn(gradient, gradient));
    const float root = __fsqrt_rn(__fadd_rn(accumulator, step.epsilon));
    return __fsub_rn(parameter, __fdiv_rn(__fmul_rn(step.rate, gradient), root));
  }
};

struct RmsPropRule {
  RmsPropStep step;

  __device__ float operator()(float parameter, float sum, float& v) const {
    const float gradient = gradient_of(step.gradient, sum);
    v = __fadd_rn(__fmul_rn(step.rho, v), __fmul_rn(step.one_minus_rho, __fmul_rn(gradient, gradient)));
    return __fsub_rn(parameter, __fdiv_rn(__fmul_rn(step.rate, gradient), __fsqrt_rn(__fadd_rn(v, step.epsilon))));
  }
};

template <class Rule, class... State>
__global__ void update_kernel(Rule rule, const float* parameters, const float* gradient_sum, float* updated,
                              std::size_t size, State*... state) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += stride) {
    updated[i] = rule(parameters[i], gradient_sum[i], state[i]...);
  }
}

// float, whatever the type: a kernel has one pointer to floats for each State.
template <class>
using FloatOf = float;

template <class Rule, class... State>
void update(const char* what, const Rule& rule, const Buffer& parameters, const Buffer& gradient_sum, Buffer& updated,
            State&... state) {
  const std::size_t size = parameters.size();
  for (const Buffer* other :
       {&gradient_sum, static_cast<const Buffer*>(&updated), static_cast<const Buffer*>(&state)...}) {
    if (other->size() != size) throw Error(Blame::bug, std::string(what) + ": sizes differ");
  }
  if (size == 0) return;
  void (*const kernel)(Rule, const float*, const float*, float*, std::size_t, FloatOf<State>*...) = update_kernel;
  launch(what, nullptr, launch_for(size), kernel, rule, parameters.data(), gradient_sum.data(), updated.data(), size,
         state.data()...);
}

}  // namespace

void sgd(SgdStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& updated) {
  update("cuda::sgd", SgdRule{step}, parameters, gradient_sum, updated);
}

void momentum(MomentumStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& velocity,
              Buffer& updated) {
  update("cuda::momentum", MomentumRule{step}, parameters, gradient_sum, updated, velocity);
}

void adam(AdamStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& m, Buffer& v, Buffer& updated) {
  update("cuda::adam", AdamRule{step}, parameters, gradient_sum, updated, m, v);
}

void adamw(AdamWStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& m, Buffer& v,
           Buffer& updated) {
  update("cuda::adamw", AdamWRule{step}, parameters, gradient_sum, updated, m, v);
}

void adagrad(AdagradStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& accumulator,
             Buffer& updated) {
  update("cuda::adagrad", AdagradRule{step}, parameters, gradient_sum, updated, accumulator);
}

void rms_prop(RmsPropStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& v, Buffer& updated) {
  update("cuda::rms_prop", RmsPropRule{step}, parameters, gradient_sum, updated, v);
}

}  // namespace carrack::train::cuda
