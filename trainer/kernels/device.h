// GPUs, as a thin layer over the CUDA runtime: their number, memory on them, copies and streams. The executor uses it.
// The current device is that of the CUDA runtime: GPU 0, unless the calling thread has called use_device(). A Memory,
// Scratch or Stream must be used only while its device is current. Functions throw Error with Blame::platform if the
// driver or a device fails.
//
// A build without CUDA links no_cuda.cc instead, so callers need no #ifdef: device_count() is 0, toolkit_version() is
// empty, and all else, including the constructors of Memory and Stream, throws Error with Blame::user.
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

// Thrown if the GPU is out of memory. Other processes may use its memory, so a retry may help.
class NoRoom : public Error {
 public:
  explicit NoRoom(const std::string& what)
      : Error(Blame::platform, what + ", perhaps because other processes use its memory; nvidia-smi lists them") {}
};

// Returns the memory of the current device.
DeviceMemory device_memory();

// Owns bytes in the memory of the device that is current at its construction. The CPU can access them only by the
// functions below. The destructor frees them.
class Memory {
 public:
  // The bytes are uninitialised; `size_bytes` may be 0, and data() is then null. Throws NoRoom if the device has not
  // enough free memory.
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
  // A pointer into the memory of the device, for kernels. The CPU must not read or write through it.
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }

 private:
  void require_size(std::size_t size_bytes) const;

  std::size_t size_bytes_ = 0;
  std::byte* data_ = nullptr;
};

// Owns elements of a plain type T in the memory of the current device: uninitialised, or copied from `values`. Only
// tests use it, and the functions of update.h, which only tests call.
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

// Working memory for kernels on the current device, which grows when more is needed. All work of one stream may share
// it, because a stream does its work in order.
class Scratch {
 public:
  // Returns a pointer to at least `size_bytes` bytes, valid until a call with a larger size than any before. Such a
  // call loses the content. Work that was started may still use memory that this call replaces, because freeing it
  // waits for the device. Throws NoRoom if the device has not enough free memory.
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

  // Start a copy to the device, or from it. They may wait for earlier work and for the copy. The memory of both sides
  // must stay valid until wait() has returned. The sizes are not checked.
  void upload(std::byte* to, std::span<const std::byte> from);
  void download(std::span<std::byte> to, const std::byte* from);
  void clear(std::span<std::byte> bytes);  // starts to set them to 0

  CUstream_st* handle() const { return handle_; }  // owned by this; never null

 private:
  CUstream_st* handle_ = nullptr;
};

// Waits until the device has done the work of all streams. Throws if any of it failed.
void synchronize();

}  // namespace carrack::train::cuda
