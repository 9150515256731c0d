// The GPUs of this process: how many there are, memory on them, copies. A build without CUDA takes these functions from
// no_cuda.cc: device_count() is 0 and all others throw, so callers need no #ifdef.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace carrack::train::cuda {

// The CUDA Toolkit this was built with, such as "13.0"; empty when built without CUDA.
std::string_view toolkit_version();

// Zero without CUDA, without a driver, or without a GPU.
int device_count();

// Floats in the memory of the current device, which the destructor frees. Constructors throw if there is no memory.
class Buffer {
 public:
  explicit Buffer(std::size_t size);
  explicit Buffer(std::span<const float> values);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  // Returns after all earlier work of the device. Throws a bug if sizes differ.
  void copy_to(std::span<float> host) const;
  // Returns at once. Throws a bug if sizes differ.
  void copy_to(Buffer& to) const;

  std::size_t size() const { return size_; }
  float* data() { return data_; }
  const float* data() const { return data_; }

 private:
  std::size_t size_ = 0;
  float* data_ = nullptr;
};

// Waits until the device has done all work, and throws if any of it failed.
void synchronize();

}  // namespace carrack::train::cuda
