#include "tests/trainer/kernels/cuda_on_cpu/planted.h"

#include "trainer/kernels/cuda/launch.cuh"

namespace carrack::cuda_on_cpu {
namespace {

constexpr unsigned block_threads = 64;
constexpr unsigned all_lanes = ~0u;

using train::cuda::Buffer;
using train::cuda::launch;
using train::cuda::LaunchSize;

constexpr LaunchSize two_blocks{.blocks = 2, .threads_per_block = block_threads};

__device__ unsigned element() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

template <bool has_barrier>
__global__ void reverse_kernel(const float* from, float* to) {
  CARRACK_SHARED_ARRAY(float, values, block_threads);
  values[threadIdx.x] = from[element()];
  if constexpr (has_barrier) __syncthreads();
  to[element()] = values[block_threads - 1 - threadIdx.x];
  if constexpr (has_barrier) __syncthreads();
}

__global__ void dynamic_reverse_kernel(const float* from, float* to) {
  CARRACK_DYNAMIC_SHARED_ARRAY(float, values);
  values[threadIdx.x] = from[element()];
  __syncthreads();
  to[element()] = values[block_threads - 1 - threadIdx.x];
}

__global__ void warp_sum_kernel(const float* from, float* to) {
  float by_down = from[element()], by_xor = by_down;
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    by_down = __fadd_rn(by_down, __shfl_down_sync(all_lanes, by_down, distance));
    by_xor = __fadd_rn(by_xor, __shfl_xor_sync(all_lanes, by_xor, distance));
  }
  const float sum = __shfl_sync(all_lanes, by_down, 0);
  const bool is_same = __all_sync(all_lanes, sum == by_xor) && !__any_sync(all_lanes, sum != by_xor);
  const bool is_low = threadIdx.x % 32 < 8;
  to[element()] = is_same && __ballot_sync(all_lanes, is_low) == 0xFFu ? sum : -1.0f;
}

__global__ void half_warps_kernel(float* to) {
  const bool is_low = threadIdx.x % 32 < 16;
  const unsigned half = is_low ? 0x0000FFFFu : 0xFFFF0000u;
  unsigned leader = threadIdx.x;
  if (is_low) {
    leader = __shfl_sync(half, leader, 0);
  } else {
    leader = __shfl_sync(half, leader, 16);
  }
  __syncwarp();
  to[element()] = static_cast<float>(leader);
}

__global__ void atomics_kernel(float* sum, int* largest, int* claims) {
  atomicAdd(sum, 1.0f);
  atomicMax(largest, static_cast<int>(element()));
  if (atomicCAS(claims, 0, 1) == 0) atomicAdd(claims + 1, 1);
}

__global__ void divergent_barrier_kernel() {
  if (threadIdx.x != 5) __syncthreads();
}

__global__ void two_barriers_kernel() {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

__global__ void divergent_shuffle_kernel(float* to) {
  if (threadIdx.x != 40) to[element()] = __shfl_down_sync(all_lanes, 1.0f, 1);
}

__global__ void wrong_mask_kernel(float* to) {
  to[element()] = __shfl_sync(0xFFFFu, 1.0f, 0);
}

__global__ void outside_mask_kernel(float* to) {
  if (threadIdx.x % 32 < 16) to[element()] = __shfl_sync(0xFFFFu, 1.0f, 20);
}

__global__ void shared_off_by_one_kernel() {
  CARRACK_SHARED_ARRAY(float, values, block_threads);
  values[threadIdx.x + 1] = 0;
}

__global__ void device_off_by_one_kernel(float* to) {
  to[element() + 1] = 0;
}

}  // namespace

void reverse_blocks(const Buffer& from, Buffer& to) {
  launch("reverse", nullptr, two_blocks, reverse_kernel<true>, from.data(), to.data());
}

void reverse_blocks_without_barrier(const Buffer& from, Buffer& to) {
  launch("reverse", nullptr, two_blocks, reverse_kernel<false>, from.data(), to.data());
}

void reverse_blocks_in_dynamic_memory(const Buffer& from, Buffer& to, std::size_t shared_bytes) {
  LaunchSize size = two_blocks;
  size.shared_bytes = shared_bytes;
  launch("reverse", nullptr, size, dynamic_reverse_kernel, from.data(), to.data());
}

void sum_warps(const Buffer& from, Buffer& to) {
  launch("sum", nullptr, two_blocks, warp_sum_kernel, from.data(), to.data());
}

void find_leaders(Buffer& to) {
  launch("leaders", nullptr, two_blocks, half_warps_kernel, to.data());
}

void count_atomically(float& sum, int& largest, int (&claims)[2]) {
  launch("count", nullptr, two_blocks, atomics_kernel, &sum, &largest, &claims[0]);
}

void divergent_barrier() {
  launch("planted", nullptr, two_blocks, divergent_barrier_kernel);
}

void two_barriers() {
  launch("planted", nullptr, two_blocks, two_barriers_kernel);
}

void divergent_shuffle(Buffer& to) {
  launch("planted", nullptr, two_blocks, divergent_shuffle_kernel, to.data());
}

void shuffle_of_half_a_warp(Buffer& to) {
  LaunchSize size = two_blocks;
  size.threads_per_block = 48;
  launch("planted", nullptr, size, divergent_shuffle_kernel, to.data());
}

void wrong_mask(Buffer& to) {
  launch("planted", nullptr, two_blocks, wrong_mask_kernel, to.data());
}

void outside_mask(Buffer& to) {
  launch("planted", nullptr, two_blocks, outside_mask_kernel, to.data());
}

void shared_off_by_one() {
  launch("planted", nullptr, two_blocks, shared_off_by_one_kernel);
}

void device_off_by_one(Buffer& to) {
  launch("planted", nullptr, two_blocks, device_off_by_one_kernel, to.data());
}

}  // namespace carrack::cuda_on_cpu
