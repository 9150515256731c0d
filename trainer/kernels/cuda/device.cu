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
  // Without a driver or a device the count is 0; any other status is an error.
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) return 0;
  call(status, "cudaGetDeviceCount");
  return count;
}

Buffer::Buffer(std::size_t size) : size_(size) {
  call(cudaMalloc(&data_, size * sizeof(float)), "cudaMalloc");
}

Buffer::Buffer(std::span<const float> values) : Buffer(values.size()) {
  call(cudaMemcpy(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice), "copy to the device");
}

Buffer::~Buffer() {
  cudaFree(data_);
}

void Buffer::copy_to(std::span<float> host) const {
  if (host.size() != size_) throw Error(Blame::bug, "Buffer::copy_to: sizes differ");
  call(cudaMemcpy(host.data(), data_, host.size_bytes(), cudaMemcpyDeviceToHost), "copy from the device");
}

void Buffer::copy_to(Buffer& to) const {
  if (to.size_ != size_) throw Error(Blame::bug, "Buffer::copy_to: sizes differ");
  call(cudaMemcpyAsync(to.data_, data_, size_ * sizeof(float), cudaMemcpyDeviceToDevice), "copy on the device");
}

Stream::Stream() {
  call(cudaStreamCreate(&handle_), "cudaStreamCreate");
}

Stream::~Stream() {
  cudaStreamDestroy(handle_);
}

void Stream::wait() {
  call(cudaStreamSynchronize(handle_), "cudaStreamSynchronize");
}

void synchronize() {
  call(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

}  // namespace carrack::train::cuda
