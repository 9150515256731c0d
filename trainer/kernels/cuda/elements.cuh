// Kernels that compute each element separately, such as activation functions, and the functions that launch them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/device.h"

namespace carrack::train::cuda {

// For kernels: calls function(i) once for each i below `count`, divided among all threads of the grid, whatever its
// size.
template <class Function>
__device__ void for_each_of_grid(std::size_t count, const Function& function) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) function(i);
}

template <class Function>
__global__ void map_kernel(Function function, const float* x, float* y, std::size_t size) {
  for_each_of_grid(size, [=](std::size_t i) { y[i] = function(x[i]); });
}

template <class Function>
__global__ void map_two_kernel(Function function, const float* a, const float* b, float* result, std::size_t size) {
  for_each_of_grid(size, [=](std::size_t i) { result[i] = function(a[i], b[i]); });
}

// For code on the CPU: starts a kernel in the stream that computes y[i] = function(x[i]) for all elements of y, and
// returns. The spans are in the memory of the GPU. x must have the size of y, which is not checked. `function` is
// copied to the GPU. Throws Error with Blame::platform if the kernel cannot be started; `what` names it in the message.
template <class Function>
void for_each_element(const char* what, Stream& stream, std::span<const float> x, std::span<float> y,
                      const Function& function) {
  if (y.empty()) return;
  launch(what, stream.handle(), launch_for(y.size()), map_kernel<Function>, function, x.data(), y.data(), y.size());
}

// The same for result[i] = function(a[i], b[i]).
template <class Function>
void for_each_element(const char* what, Stream& stream, std::span<const float> a, std::span<const float> b,
                      std::span<float> result, const Function& function) {
  if (result.empty()) return;
  launch(what, stream.handle(), launch_for(result.size()), map_two_kernel<Function>, function, a.data(), b.data(),
         result.data(), result.size());
}

}  // namespace carrack::train::cuda
