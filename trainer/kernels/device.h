// The GPUs of this process: how many there are, memory on them, copies. Throws Error (platform) if the driver or a
// device fails. A build without CUDA takes these functions from no_cuda.cc: there is no device, and using one throws
// Error (user), so callers need no #ifdef.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

struct CUstream_st;  // of CUDA, which calls a pointer to it cudaStream_t

namespace carrack::train::cuda {

// The CUDA Toolkit this was built with, such as "13.0"; empty when built without CUDA.
std::string_view toolkit_version();

// Zero without CUDA, without a GPU, or if the driver is missing or too old.
int device_count();

// Bytes in the memory of the current device, which the destructor frees.
class Memory {
 public:
  // Uninitialised. Throws Error (user) if the device has no room for it.
  explicit Memory(std::size_t size_bytes);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  // Wait for earlier work on this device, then copy all bytes. Throw Error (bug) if sizes differ; so does copy_to().
  void write(std::span<const std::byte> from);
  void read(std::span<std::byte> to) const;
  // Starts the copy to memory of the same size, behind earlier work on this device, and returns at once.
  void copy_to(Memory& to) const;

  std::size_t size_bytes() const { return size_bytes_; }
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }

 private:
  void require_size(std::size_t size_bytes) const;

  std::size_t size_bytes_ = 0;
  std::byte* data_ = nullptr;
};

// Elements in the memory of the current device. They are uninitialised, or copied from the host.
template <class T>
class Array {
 public:
  explicit Array(std::size_t size) : memory_(size * sizeof(T)) {}
  explicit Array(std::span<const T> values) : Array(values.size()) { memory_.write(std::as_bytes(values)); }

  // As those of Memory. Throws Error (bug) if sizes differ.
  void copy_to(std::span<T> host) const { memory_.read(std::as_writable_bytes(host)); }
  void copy_to(Array& to) const { memory_.copy_to(to.memory_); }

  std::size_t size() const { return memory_.size_bytes() / sizeof(T); }
  T* data() { return reinterpret_cast<T*>(memory_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }

 private:
  Memory memory_;
};
using Buffer = Array<float>;

// Memory that grows as it is needed. Work of one stream may share it, as it is done in order.
class Scratch {
 public:
  // So many bytes at least. What was there before is lost if there are more of them than ever before. Work that was
  // started may still use the memory that is replaced: freeing it waits for the device.
  std::byte* at_least(std::size_t size_bytes) {
    if (!memory_ || memory_->size_bytes() < size_bytes) {
      memory_.reset();
      memory_ = std::make_unique<Memory>(size_bytes);
    }
    return memory_->data();
  }

 private:
  std::unique_ptr<Memory> memory_;
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

  // Start a copy to the device, or from it. The memory of both sides must stay until it is done.
  void upload(std::byte* to, std::span<const std::byte> from);
  void download(std::span<std::byte> to, const std::byte* from);
  void clear(std::span<std::byte> bytes);  // sets them to 0

  CUstream_st* handle() const { return handle_; }

 private:
  CUstream_st* handle_ = nullptr;
};

// Waits until the device has done all work, and throws if any of it failed.
void synchronize();

}  // namespace carrack::train::cuda
