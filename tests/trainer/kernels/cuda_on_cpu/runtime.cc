#include <algorithm>
#include <cstdlib>
#include <map>

#include "tests/trainer/kernels/cuda_on_cpu/cuda_runtime.h"

namespace carrack::cuda_on_cpu {
namespace {

// On both sides of a buffer lie bytes that no kernel may change; as floats they are NaN, so that a result shows if one
// reads them. AddressSanitizer has its own, and sees reads too.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t zone_bytes = 0;
#else
constexpr std::size_t zone_bytes = 256;
#endif
constexpr std::byte zone{0xFF};
constexpr std::size_t no_gpu_has_bytes = std::size_t{1} << 40;

std::map<std::byte*, std::size_t> sizes_bytes;  // of the buffers, by their first byte
std::string last_fault;

// Empty if the bytes around the buffer are as they were.
std::string damage(const std::byte* data, std::size_t size_bytes) {
  const auto is_changed = [](std::byte byte) { return byte != zone; };
  const bool before = std::any_of(data - zone_bytes, data, is_changed);
  const bool behind = std::any_of(data + size_bytes, data + size_bytes + zone_bytes, is_changed);
  if (!before && !behind) return "";
  return std::string("a thread wrote ") + (before ? "before" : "behind") + " the " + std::to_string(size_bytes) +
         " bytes of a buffer";
}

std::string first_damage() {
  for (const auto& [data, size_bytes] : sizes_bytes) {
    if (const std::string found = damage(data, size_bytes); !found.empty()) return found;
  }
  return "";
}

}  // namespace

cudaError_t launch(const Grid& grid, const std::function<void()>& thread) {
  last_fault = run_grid(grid, thread);
  if (last_fault.empty()) last_fault = first_damage();
  return last_fault.empty() ? cudaSuccess : cudaErrorLaunchFailure;
}

}  // namespace carrack::cuda_on_cpu

using namespace carrack::cuda_on_cpu;

const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorLaunchFailure:
      return last_fault.c_str();
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
  }
  return "unknown error";
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t size_bytes) {
  *data = nullptr;
  if (size_bytes == 0) return cudaSuccess;
  if (size_bytes >= no_gpu_has_bytes) return cudaErrorMemoryAllocation;  // AddressSanitizer ends a process that asks.
  auto* const begin = static_cast<std::byte*>(std::malloc(size_bytes + 2 * zone_bytes));
  if (begin == nullptr) return cudaErrorMemoryAllocation;
  std::fill_n(begin, size_bytes + 2 * zone_bytes, zone);
  sizes_bytes.emplace(begin + zone_bytes, size_bytes);
  *data = begin + zone_bytes;
  return cudaSuccess;
}

cudaError_t cudaFree(void* data) {
  if (data == nullptr) return cudaSuccess;
  const auto found = sizes_bytes.find(static_cast<std::byte*>(data));
  if (found == sizes_bytes.end()) return cudaErrorInvalidValue;
  std::free(found->first - zone_bytes);
  sizes_bytes.erase(found);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind) {
  if (size_bytes != 0) std::memmove(to, from, size_bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t size_bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, size_bytes, kind);
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t size_bytes, cudaStream_t) {
  if (size_bytes != 0) std::memset(to, value, size_bytes);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}

// A stream has no work of its own here, so none needs an object.
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = nullptr;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
