#include "trainer/kernels/update.h"

#include <algorithm>

#include "trainer/kernels/cuda/call.cuh"

namespace carrack::train::cuda {
namespace {

constexpr unsigned threads_per_block = 256;
// Enough blocks to fill any GPU of today; each thread then strides over the rest.
constexpr std::size_t blocks_max = 132 * 16;

__global__ void sgd_kernel(float* parameters, const float* gradients, float rate, std::size_t size) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += stride) {
    // The named operations keep nvcc from fusing them into one, which rounds once where the cpu rounds twice.
    parameters[i] = __fsub_rn(parameters[i], __fmul_rn(rate, gradients[i]));
  }
}

}  // namespace

void sgd(Buffer& parameters, const Buffer& gradients, float rate) {
  if (parameters.size() != gradients.size()) throw Error(Blame::bug, "cuda::sgd: sizes differ");
  if (parameters.size() == 0) return;
  const std::size_t blocks = std::min((parameters.size() + threads_per_block - 1) / threads_per_block, blocks_max);
  sgd_kernel<<<static_cast<unsigned>(blocks), threads_per_block>>>(parameters.data(), gradients.data(), rate,
                                                                   parameters.size());
  call(cudaGetLastError(), "cuda::sgd");
}

}  // namespace carrack::train::cuda
