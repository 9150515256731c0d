// Device code for kernels in which several neighbouring threads compute one row of a table together, such as layer
// normalization or softmax. Sums have the order, and so the bits, of cpu::sum() (sums.h).
#pragma once

#include <cstdint>

#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/sums.h"

namespace carrack::train::cuda {

inline constexpr unsigned warp_threads = 32;
// The number of threads that add up a row together: one for each partial sum.
inline constexpr unsigned sum_threads = static_cast<unsigned>(partial_sums);

// Calls function(row, thread) for each row below `rows`, whatever the size of the grid. `threads` neighbouring threads
// make the call for the same row; `thread` is the number of the calling thread among them, from 0. `threads` must
// divide the size of a warp and of the block.
template <unsigned threads, class Function>
__device__ void for_each_row(std::int64_t rows, const Function& function) {
  static_assert(warp_threads % threads == 0);
  const std::int64_t stride = std::int64_t{gridDim.x} * (blockDim.x / threads);
  const std::int64_t first = std::int64_t{blockIdx.x} * (blockDim.x / threads) + threadIdx.x / threads;
  for (std::int64_t row = first; row < rows; row += stride) function(row, threadIdx.x % threads);
}

// Combines the values of sum_threads (16) neighbouring threads by `function`, a commutative function of two floats such
// as a maximum, in the order in which sum() adds partial sums. The number of the first of these threads in the block is
// a multiple of sum_threads. All of them must call this, and it returns the same result to all.
template <class Function>
__device__ float over_neighbours(float value, const Function& function) {
  const unsigned mask = ((1u << sum_threads) - 1) << (threadIdx.x % warp_threads / sum_threads * sum_threads);
  for (unsigned half = sum_threads / 2; half > 0; half /= 2) {
    value = function(value, __shfl_xor_sync(mask, value, half));
  }
  return value;
}

// Returns the sum of the partial sums of sum_threads neighbouring threads, as over_neighbours() does.
inline __device__ float total_of_partial_sums(float sum) {
  return over_neighbours(sum, [](float a, float b) { return a + b; });
}

// Returns the sum of value(0), value(1), and so on to value(size - 1). sum_threads neighbouring threads must all call
// this, with the same arguments, and it returns the sum to all.
template <class Value>
__device__ float sum_of_row(std::int64_t size, const Value& value) {
  float sum = 0;
  for (std::int64_t i = threadIdx.x % sum_threads; i < size; i += sum_threads) sum += value(i);
  return total_of_partial_sums(sum);
}

}  // namespace carrack::train::cuda
