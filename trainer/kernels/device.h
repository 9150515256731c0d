// The GPUs of this process: how many there are, memory on them, copies. Throws Error (platform) if the driver or a
// device fails. A build without CUDA takes these functions from no_cuda.cc: there is no device, and using one throws
// Error (user), so callers need no #ifdef.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

struct CUstream_st;  // of CUDA, which calls a pointer to it cudaStream_t

namespace carrack::train::cuda {

// The CUDA Toolkit this was built with, such as "13.0"; empty when built without CUDA.
std::string_view toolkit_version();

// Zero without CUDA, without a GPU, or if the driver is missing or too old.
int device_count();

// Floats in the memory of the current device, which the destructor frees. Constructors throw if memory runs out.
class Buffer {
 public:
  explicit Buffer(std::size_t size);  // in floats; they are uninitialised
  explicit Buffer(std::span<const float> values);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  // Waits for earlier work on this device, then copies. Throws Error (bug) if sizes differ.
  void copy_to(std::span<float> host) const;
  // Starts the copy, behind earlier work on this device, and returns at once. Throws Error (bug) if sizes differ.
  void copy_to(Buffer& to) const;

  std::size_t size() const { return size_; }
  float* data() { return data_; }
  const float* data() const { return data_; }

 private:
  std::size_t size_ = 0;
  float* data_ = nullptr;
};

// Work that a device does in the order in which it was started, beside that of other streams.
// It waits for earlier work without a stream, such as copies of buffers, and later such work waits for it. A kernel
// that takes a stream starts its work there and returns at once. Its pointers and spans are of the device's memory,
// which must stay until the work is done; it throws if the work cannot be started. Such kernels exist only in a build
// with CUDA, and nothing calls them without a stream, which is why no_cuda.cc has none of them.
class Stream {
 public:
  Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  // Until all work that was started has been done. Throws if any of it failed.
  void wait();

  CUstream_st* handle() const { return handle_; }

 private:
  CUstream_st* handle_ = nullptr;
};

// Waits until the device has done all work, and throws if any of it failed.
void synchronize();

}  // namespace carrack::train::cuda
