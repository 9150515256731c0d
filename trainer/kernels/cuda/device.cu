#include "trainer/kernels/device.h"

#include "trainer/kernels/cuda/call.cuh"

#define CARRACK_TEXT(x) #x
#define CARRACK_VERSION_TEXT(major, minor) CARRACK_TEXT(major) "." CARRACK_TEXT(minor)

namespace carrack::train::cuda {

std::string_view toolkit_version() {
  return CARRACK_VERSION_TEXT(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__);
}

int device_count() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  // Without a driver or a device the count is 0. Any other status is an error.
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) return 0;
  check_cuda(status, "cudaGetDeviceCount");
  return count;
}

void use_device(int number) {
  check_cuda(cudaSetDevice(number), "cudaSetDevice");
}

DeviceMemory device_memory() {
  DeviceMemory memory;
  check_cuda(cudaMemGetInfo(&memory.free_bytes, &memory.all_bytes), "cudaMemGetInfo");
  return memory;
}

Memory::Memory(std::size_t size_bytes) : size_bytes_(size_bytes) {
  if (size_bytes == 0) return;
  const cudaError_t status = cudaMalloc(&data_, size_bytes);
  if (status == cudaErrorMemoryAllocation) {
    throw NoRoom("the GPU has no room for " + std::to_string(size_bytes) + " bytes more");
  }
  check_cuda(status, "cudaMalloc");
}

Memory::~Memory() {
  cudaFree(data_);
}

void Memory::write(std::span<const std::byte> from) {
  require_size(from.size());
  check_cuda(cudaMemcpy(data_, from.data(), from.size(), cudaMemcpyHostToDevice), "copy to the device");
}

void Memory::read(std::span<std::byte> to) const {
  require_size(to.size());
  check_cuda(cudaMemcpy(to.data(), data_, to.size(), cudaMemcpyDeviceToHost), "copy from the device");
}

void Memory::copy_to(Memory& to) const {
  require_size(to.size_bytes_);
  check_cuda(cudaMemcpyAsync(to.data_, data_, size_bytes_, cudaMemcpyDeviceToDevice), "copy on the device");
}

void Memory::require_size(std::size_t size_bytes) const {
  if (size_bytes != size_bytes_) throw Error(Blame::bug, "memory of a device: the sizes of a copy differ");
}

Stream::Stream() {
  check_cuda(cudaStreamCreate(&handle_), "cudaStreamCreate");
}

Stream::~Stream() {
  cudaStreamDestroy(handle_);
}

void Stream::wait() {
  check_cuda(cudaStreamSynchronize(handle_), "cudaStreamSynchronize");
}

void Stream::upload(std::byte* to, std::span<const std::byte> from) {
  if (from.empty()) return;
  check_cuda(cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, handle_), "copy to the device");
}

void Stream::download(std::span<std::byte> to, const std::byte* from) {
  if (to.empty()) return;
  check_cuda(cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, handle_), "copy from the device");
}

void Stream::clear(std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  check_cuda(cudaMemsetAsync(bytes.data(), 0, bytes.size(), handle_), "cudaMemsetAsync");
}

void synchronize() {
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

}  // namespace carrack::train::cuda
