// Takes the place of CUDA's header of this name, so that g++ compiles the .cu files of trainer/kernels/cuda and their
// kernels run on the CPU. It has what these files use, no more.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>

#include "tests/trainer/kernels/cuda_on_cpu/grid.h"

#define __CUDACC_VER_MAJOR__ 0
#define __CUDACC_VER_MINOR__ 0
#define __global__
#define __device__
#define __host__

// The runtime: memory, copies, launches. Whatever it starts is done when the call returns.
enum cudaError_t {
  cudaSuccess,
  cudaErrorInvalidValue,
  cudaErrorInvalidDevice,
  cudaErrorInvalidResourceHandle,
  cudaErrorMemoryAllocation,
  cudaErrorLaunchFailure,
  cudaErrorNoDevice,
  cudaErrorInsufficientDriver,
  cudaErrorECCUncorrectable,
  cudaErrorNoKernelImageForDevice,
  cudaErrorDevicesUnavailable,
  cudaErrorSystemNotReady,
  cudaErrorSystemDriverMismatch,
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
struct CUstream_st;
using cudaStream_t = CUstream_st*;

// After a failed launch: what was wrong with the kernel.
const char* cudaGetErrorString(cudaError_t status);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int number);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all);
cudaError_t cudaMalloc(void** data, std::size_t size_bytes);
cudaError_t cudaFree(void* data);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t size_bytes, cudaStream_t stream);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

template <class T>
cudaError_t cudaMalloc(T** data, std::size_t size_bytes) {
  return cudaMalloc(reinterpret_cast<void**>(data), size_bytes);
}

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};

namespace carrack::cuda_on_cpu {

cudaError_t launch(const Grid& grid, cudaStream_t stream, const std::function<void()>& thread);

// Shared memory of a block, whose indices are checked.
template <class T>
class CheckedSpan {
 public:
  CheckedSpan(T* data, std::size_t size, const char* name) : data_(data), size_(size), name_(name) {}

  T& operator[](std::size_t index) const {
    if (index >= size_) {
      fail("uses element " + std::to_string(index) + " of the " + std::to_string(size_) + " of the shared array " +
           name_);
    }
    return data_[index];
  }

 private:
  T* data_;
  std::size_t size_;
  const char* name_;
};

template <class T>
T shuffled(std::uint32_t mask, T value, unsigned from_lane, const Place& place) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  const LaneValues values = exchange(mask, bits, place);
  if (from_lane >= warp_size) return value;
  if ((mask >> from_lane & 1) == 0) fail("reads lane " + std::to_string(from_lane) + ", which is not in the mask");
  std::memcpy(&value, &values[from_lane], sizeof value);
  return value;
}

}  // namespace carrack::cuda_on_cpu

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  const std::tuple<Parameters...> values(arguments...);
  return carrack::cuda_on_cpu::launch({config->gridDim, config->blockDim, config->dynamicSmemBytes}, config->stream,
                                      [&] { std::apply(kernel, values); });
}

// Inside kernels.
inline const dim3& threadIdx = carrack::cuda_on_cpu::position().thread_index;
inline const dim3& blockIdx = carrack::cuda_on_cpu::position().block_index;
inline const dim3& blockDim = carrack::cuda_on_cpu::position().block;
inline const dim3& gridDim = carrack::cuda_on_cpu::position().grid;

#define CARRACK_SHARED_ARRAY(Type, name, size) \
  static Type name##_elements[size];           \
  const carrack::cuda_on_cpu::CheckedSpan<Type> name(name##_elements, size, #name)
#define CARRACK_DYNAMIC_SHARED_ARRAY(Type, name)                                                                    \
  const carrack::cuda_on_cpu::CheckedSpan<Type> name(reinterpret_cast<Type*>(carrack::cuda_on_cpu::shared_bytes()), \
                                                     carrack::cuda_on_cpu::shared_size_bytes() / sizeof(Type), #name)

inline void __syncthreads(const carrack::cuda_on_cpu::Place& place = carrack::cuda_on_cpu::Place::current()) {
  carrack::cuda_on_cpu::wait_for_block(place);
}

inline void __syncwarp(std::uint32_t mask = ~0u,
                       const carrack::cuda_on_cpu::Place& place = carrack::cuda_on_cpu::Place::current()) {
  carrack::cuda_on_cpu::exchange(mask, 0, place);
}

template <class T>
T __shfl_sync(std::uint32_t mask, T value, unsigned from_lane,
              const carrack::cuda_on_cpu::Place& place = carrack::cuda_on_cpu::Place::current()) {
  return carrack::cuda_on_cpu::shuffled(mask, value, from_lane % carrack::cuda_on_cpu::warp_size, place);
}

template <class T>
T __shfl_down_sync(std::uint32_t mask, T value, unsigned delta,
                   const carrack::cuda_on_cpu::Place& place = carrack::cuda_on_cpu::Place::current()) {
  return carrack::cuda_on_cpu::shuffled(mask, value, carrack::cuda_on_cpu::lane() + delta, place);
}

template <class T>
T __shfl_xor_sync(std::uint32_t mask, T value, unsigned bits,
                  const carrack::cuda_on_cpu::Place& place = carrack::cuda_on_cpu::Place::current()) {
  return carrack::cuda_on_cpu::shuffled(mask, value, carrack::cuda_on_cpu::lane() ^ bits, place);
}

inline std::uint32_t __ballot_sync(std::uint32_t mask, bool vote,
                                   const carrack::cuda_on_cpu::Place& place = carrack::cuda_on_cpu::Place::current()) {
  const carrack::cuda_on_cpu::LaneValues votes = carrack::cuda_on_cpu::exchange(mask, vote ? 1 : 0, place);
  std::uint32_t ballot = 0;
  for (unsigned lane = 0; lane < votes.size(); ++lane) ballot |= static_cast<std::uint32_t>(votes[lane]) << lane;
  return ballot;
}

inline bool __any_sync(std::uint32_t mask, bool vote,
                       const carrack::cuda_on_cpu::Place& place = carrack::cuda_on_cpu::Place::current()) {
  return __ballot_sync(mask, vote, place) != 0;
}

inline bool __all_sync(std::uint32_t mask, bool vote,
                       const carrack::cuda_on_cpu::Place& place = carrack::cuda_on_cpu::Place::current()) {
  return __ballot_sync(mask, vote, place) == mask;
}

// Only one thread runs at a time, and changes threads where it waits, so plain code is atomic.
template <class T>
T atomicAdd(T* into, T value) {
  const T old = *into;
  *into = old + value;
  return old;
}

template <class T>
T atomicMax(T* into, T value) {
  const T old = *into;
  *into = old < value ? value : old;
  return old;
}

template <class T>
T atomicExch(T* into, T value) {
  const T old = *into;
  *into = value;
  return old;
}

template <class T>
T atomicCAS(T* into, T expected, T value) {
  const T old = *into;
  if (old == expected) *into = value;
  return old;
}

// Tests are compiled with -ffp-contract=off, so each operation is rounded for itself.
inline float __fadd_rn(float a, float b) {
  return a + b;
}
inline float __fsub_rn(float a, float b) {
  return a - b;
}
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __fsqrt_rn(float a) {
  return std::sqrt(a);
}
