#include "trainer/kernels/update.h"

#include <algorithm>
#include <initializer_list>

#include "trainer/kernels/cuda/call.cuh"

namespace carrack::train::cuda {
namespace {

constexpr unsigned threads_per_block = 256;
// Enough blocks to fill a GPU of 132 multiprocessors; each thread strides over the rest.
constexpr std::size_t blocks_max = 132 * 16;

// The intrinsics keep nvcc from fusing a product and a sum, which would round once where the CPU rounds twice.

__global__ void sgd_kernel(SgdStep step, const float* parameters, const float* gradient_sum, float* updated,
                           std::size_t size) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += stride) {
    const float gradient = __fdiv_rn(gradient_sum[i], step.divisor);
    updated[i] = __fsub_rn(parameters[i], __fmul_rn(step.rate, gradient));
  }
}

__global__ void adam_kernel(AdamStep step, const float* parameters, const float* gradient_sum, float* m, float* v,
                            float* updated, std::size_t size) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += stride) {
    const float gradient = __fdiv_rn(gradient_sum[i], step.divisor);
    const float square = __fmul_rn(gradient, gradient);
    m[i] = __fadd_rn(m[i], __fmul_rn(__fsub_rn(gradient, m[i]), step.one_minus_beta1));
    v[i] = __fadd_rn(v[i], __fmul_rn(__fsub_rn(square, v[i]), step.one_minus_beta2));
    const float change = __fdiv_rn(__fmul_rn(m[i], step.rate), __fadd_rn(__fsqrt_rn(v[i]), step.epsilon));
    updated[i] = __fsub_rn(parameters[i], change);
  }
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>(std::min((size + threads_per_block - 1) / threads_per_block, blocks_max));
}

void expect_equal_sizes(const char* what, std::size_t size, std::initializer_list<const Buffer*> others) {
  for (const Buffer* other : others) {
    if (other->size() != size) throw Error(Blame::bug, std::string(what) + ": sizes differ");
  }
}

}  // namespace

void sgd(SgdStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& updated) {
  const std::size_t size = parameters.size();
  expect_equal_sizes("cuda::sgd", size, {&gradient_sum, &updated});
  if (size == 0) return;
  sgd_kernel<<<blocks_for(size), threads_per_block>>>(step, parameters.data(), gradient_sum.data(), updated.data(),
                                                      size);
  call(cudaGetLastError(), "cuda::sgd");
}

void adam(AdamStep step, const Buffer& parameters, const Buffer& gradient_sum, Buffer& m, Buffer& v, Buffer& updated) {
  const std::size_t size = parameters.size();
  expect_equal_sizes("cuda::adam", size, {&gradient_sum, &m, &v, &updated});
  if (size == 0) return;
  adam_kernel<<<blocks_for(size), threads_per_block>>>(step, parameters.data(), gradient_sum.data(), m.data(), v.data(),
                                                       updated.data(), size);
  call(cudaGetLastError(), "cuda::adam");
}

}  // namespace carrack::train::cuda
