// The GPUs of this process: their number, memory on them, copies and streams. The current device is CUDA's: the first
// GPU unless the calling thread has chosen another. Functions throw Error with Blame::platform if the driver or a
// device fails. A build without CUDA takes these functions from no_cuda.cc, so callers need no #ifdef: device_count()
// is 0, and Memory and Stream cannot be constructed, which throws Error with Blame::user.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trainer/error.h"

struct CUstream_st;  // a type of CUDA; cudaStream_t is a pointer to it

namespace carrack::train::cuda {

// The version of the CUDA Toolkit that this was built with, such as "13.0"; empty when built without CUDA.
std::string_view toolkit_version();

// The number of GPUs that this process can use: 0 without CUDA, without a GPU, or if the driver is missing or too old.
int device_count();

// Makes GPU `number`, counted from 0, the current device of the calling thread.
void use_device(int number);

struct DeviceMemory {
  std::size_t all_bytes = 0;
  std::size_t free_bytes = 0;  // not allocated by any process
};

// A device has less free memory than was needed. Other processes may use it, so a retry may help.
class NoRoom : public Error {
 public:
  explicit NoRoom(const std::string& what)
      : Error(Blame::platform, what + ", perhaps because other processes use its memory; nvidia-smi lists them") {}
};

// The memory of the current device.
DeviceMemory device_memory();

// Bytes in the memory of the current device, which the CPU cannot access except by the functions below. The destructor
// frees them.
class Memory {
 public:
  // The bytes are uninitialised; `size_bytes` may be 0, and data() is then null. Throws NoRoom if the device has not so
  // many free.
  explicit Memory(std::size_t size_bytes);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  // Wait for earlier work on this device, then copy all bytes and return. Throw Error with Blame::bug if sizes differ.
  void write(std::span<const std::byte> from);
  void read(std::span<std::byte> to) const;
  // Starts a copy of all bytes and returns; the copy itself waits for earlier work on this device. Throws Error with
  // Blame::bug if sizes differ.
  void copy_to(Memory& to) const;

  std::size_t size_bytes() const { return size_bytes_; }
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }

 private:
  void require_size(std::size_t size_bytes) const;

  std::size_t size_bytes_ = 0;
  std::byte* data_ = nullptr;
};

// Elements of a plain type T in the memory of the current device: uninitialised, or copied from the host.
template <class T>
class Array {
 public:
  explicit Array(std::size_t size) : memory_(size * sizeof(T)) {}
  explicit Array(std::span<const T> values) : Array(values.size()) { memory_.write(std::as_bytes(values)); }

  // Copy all elements, as Memory::read() and Memory::copy_to() do. Throw Error with Blame::bug if sizes differ.
  void copy_to(std::span<T> host) const { memory_.read(std::as_writable_bytes(host)); }
  void copy_to(Array& to) const { memory_.copy_to(to.memory_); }

  std::size_t size() const { return memory_.size_bytes() / sizeof(T); }
  T* data() { return reinterpret_cast<T*>(memory_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }

 private:
  Memory memory_;
};
using Buffer = Array<float>;

// Memory on the current device that grows when more is needed. All work of one stream may share it, because a stream
// does its work in order.
class Scratch {
 public:
  // Returns at least `size_bytes` bytes, valid until a call that asks for more than there are. Their content is lost
  // when the memory grows. Work that was started may still use the memory that is replaced, because freeing it waits
  // for the device. Throws NoRoom if the device has no room.
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

// A queue of work that the device does in the order in which it was started; other streams may work at the same time.
// Work in a stream waits for earlier work without a stream, such as copies of Memory, and later such work waits for it.
//
// Rules for a function that takes a Stream: it starts its work there and returns immediately. Its pointers and spans
// are in the memory of the device, which must stay allocated until the work is done. It throws Error with
// Blame::platform if the work cannot be started. Such functions are defined only in a build with CUDA.
class Stream {
 public:
  Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  // Waits until all work that was started in this stream is done. Throws Error with Blame::platform if any of it
  // failed.
  void wait();

  // Start a copy to the device, or from it, and return. The memory of both sides must stay valid until wait() has
  // returned. The sizes are not checked.
  void upload(std::byte* to, std::span<const std::byte> from);
  void download(std::span<std::byte> to, const std::byte* from);
  void clear(std::span<std::byte> bytes);  // starts to set them to 0

  CUstream_st* handle() const { return handle_; }

 private:
  CUstream_st* handle_ = nullptr;
};

// Waits until the device has done the work of all streams. Throws if any of it failed.
void synchronize();

}  // namespace carrack::train::cuda
