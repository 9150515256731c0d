// launch(), by which all CUDA kernels of the trainer are started, and macros for their shared memory.
// cudaLaunchKernelEx() and __shared__ appear only in this file, so tests can replace <cuda_runtime.h> and run the
// kernels on the CPU.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "trainer/kernels/cuda/call.cuh"

// Declares the array `name` in the memory that the threads of a block share. `size`, the number of elements, is a
// constant expression.
#ifndef CARRACK_SHARED_ARRAY
#define CARRACK_SHARED_ARRAY(Type, name, size) __shared__ Type name[size]
#endif

// Declares the pointer `name` to an array in shared memory with LaunchSize::shared_bytes bytes. A kernel has at most
// one.
#ifndef CARRACK_DYNAMIC_SHARED_ARRAY
#define CARRACK_DYNAMIC_SHARED_ARRAY(Type, name)                            \
  extern __shared__ __align__(16) unsigned char carrack_dynamic_shared[]; \
  Type* const name = reinterpret_cast<Type*>(carrack_dynamic_shared)
#endif

namespace carrack::train::cuda {

// The grid of a kernel; it has one dimension.
struct LaunchSize {
  unsigned blocks;
  unsigned threads_per_block = 256;
  std::size_t shared_bytes = 0;  // for CARRACK_DYNAMIC_SHARED_ARRAY; with the other shared arrays at most 48 KiB
};

// Returns one thread for each of `count` elements, but at most 2,112 blocks, which are 16 for each multiprocessor of an
// H100. So a kernel must loop, as for_each_of_grid() (elements.cuh) does. `count` must not be 0.
inline LaunchSize launch_for(std::size_t count) {
  constexpr std::size_t threads = 256, blocks_max = 132 * 16;
  return {.blocks = static_cast<unsigned>(std::min((count + threads - 1) / threads, blocks_max))};
}

// Starts the kernel in the stream; null is the default stream, in which all work without a stream runs. Does not wait
// for the kernel. Throws Error with Blame::platform if it cannot be started; `what` names it in the message.
template <class... Parameters, class... Arguments>
void launch(const char* what, CUstream_st* stream, LaunchSize size, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3{size.blocks, 1, 1};
  config.blockDim = dim3{size.threads_per_block, 1, 1};
  config.dynamicSmemBytes = size.shared_bytes;
  config.stream = stream;
  check_cuda(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), what);
}

}  // namespace carrack::train::cuda
