// The GPUs of this process: how many there are, memory on them, copies. IndexingProgress without CUDA the same functions are
// in no_cuda.cc: there are then no devices, and everything else throws. Callers need no #ifdef.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace carrack::train::cuda {

// The CUDA Toolkit this was built with, such as "13.0"; empty when built without CUDA.
std::string_view toolkit_version();

// Zero without CUDA, without a driver, or without a GPU.
int device_count();

// Floats in the memory of the current device, freed with the object. Never empty-handed: construction throws.
class Buffer {
 public:
  explicit Buffer(std::size_t size);
  explicit Buffer(std::span<const float> values);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  // Waits for what was launched on the device before.
  void copy_to(std::span<float> host) const;
  // Does not wait; `to` must be as long.
  void copy_to(Buffer& to) const;

  std::size_t size() const { return size_; }
  float* data() { return data_; }
  const float* data() const { return data_; }

 private:
  std::size_t size_ = 0;
  float* data_ = nullptr;
};

// Waits until the device has done all that was launched, and throws what went wrong in it.
void synchronize();

}  // namespace carrack::train::cuda
