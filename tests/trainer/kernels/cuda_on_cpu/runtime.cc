#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

#include "tests/trainer/kernels/cuda_on_cpu/cuda_runtime.h"

// A stream has no work of its own here, only a device.
struct CUstream_st {
  int device;
};

namespace carrack::cuda_on_cpu {
namespace {

constexpr int devices = 4;

// On both sides of a buffer lie bytes that no kernel may change; as floats they are NaN, so that a result shows if one
// reads them. AddressSanitizer has its own, and sees reads too.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t zone_bytes = 0;
#else
constexpr std::size_t zone_bytes = 256;
#endif
constexpr std::byte zone{0xFF};

struct Memory {
  int device;
  std::size_t size_bytes;
};

// Threads may use different devices at the same time, but one kernel runs after the other: their shared arrays are
// static.
std::mutex mutex;
std::map<std::byte*, Memory> buffers;  // by their first byte
std::array<std::size_t, devices> used_bytes;
thread_local int current_device = 0;
thread_local std::string last_fault;

// The memory of each device. Without a limit AddressSanitizer would end a process that asks for too much.
std::size_t bytes_of_device() {
  const char* const set = std::getenv("CARRACK_CUDA_ON_CPU_BYTES");
  return set == nullptr ? std::size_t{1} << 40 : std::stoull(set);
}

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
  for (const auto& [data, memory] : buffers) {
    if (const std::string found = damage(data, memory.size_bytes); !found.empty()) return found;
  }
  return "";
}

}  // namespace

cudaError_t launch(const Grid& grid, cudaStream_t stream, const std::function<void()>& thread) {
  if (stream != nullptr && stream->device != current_device) return cudaErrorInvalidResourceHandle;
  const std::lock_guard lock(mutex);
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
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorLaunchFailure:
      return last_fault.c_str();
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorECCUncorrectable:
      return "uncorrectable ECC error encountered";
    case cudaErrorNoKernelImageForDevice:
      return "no kernel image is available for execution on the device";
    case cudaErrorDevicesUnavailable:
      return "CUDA-capable device(s) is/are busy or unavailable";
    case cudaErrorSystemNotReady:
      return "system not yet initialized";
    case cudaErrorSystemDriverMismatch:
      return "system has unsupported display driver / cuda driver combination";
  }
  return "unknown error";
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = devices;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int number) {
  if (number < 0 || number >= devices) return cudaErrorInvalidDevice;
  current_device = number;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  const std::lock_guard lock(mutex);
  *all = bytes_of_device();
  *free = *all - used_bytes[current_device];
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t size_bytes) {
  *data = nullptr;
  if (size_bytes == 0) return cudaSuccess;
  const std::lock_guard lock(mutex);
  if (size_bytes > bytes_of_device() - used_bytes[current_device]) return cudaErrorMemoryAllocation;
  auto* const begin = static_cast<std::byte*>(std::malloc(size_bytes + 2 * zone_bytes));
  if (begin == nullptr) return cudaErrorMemoryAllocation;
  std::fill_n(begin, size_bytes + 2 * zone_bytes, zone);
  buffers.emplace(begin + zone_bytes, Memory{current_device, size_bytes});
  used_bytes[current_device] += size_bytes;
  *data = begin + zone_bytes;
  return cudaSuccess;
}

cudaError_t cudaFree(void* data) {
  if (data == nullptr) return cudaSuccess;
  const std::lock_guard lock(mutex);
  const auto found = buffers.find(static_cast<std::byte*>(data));
  if (found == buffers.end()) return cudaErrorInvalidValue;
  std::free(found->first - zone_bytes);
  used_bytes[found->second.device] -= found->second.size_bytes;
  buffers.erase(found);
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

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = new CUstream_st{current_device};
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
