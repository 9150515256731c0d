// The memory of a device that an executor computes in, and the order of its work. On the CPU this is the caller's own
// memory, and each call has finished its work when it returns. On a GPU these are copies, and calls only start work,
// which wait() waits for. Calls that use a GPU throw Error: Blame::platform if it fails, Blame::user if it has no room.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "trainer/execution/kernel.h"

namespace carrack::train {

class DeviceContext {
 public:
  virtual ~DeviceContext() = default;

  // The memory for all intermediate results.
  virtual std::byte* arena() = 0;

  // upload() returns memory from which kernels read the bytes of `host`. room_for() returns memory to which kernels
  // write bytes that download() then copies to `host`. With the same number and `host` both return the same memory. It
  // is valid until the number is used for more bytes. The memory of `host` must stay until wait() has returned.
  virtual const std::byte* upload(std::size_t number, std::span<const std::byte> host) = 0;
  virtual std::byte* room_for(std::size_t number, std::span<std::byte> host) = 0;
  // Copies the result of kernels to `host`, from room_for() or from the arena. Does nothing if it is there already.
  virtual void download(std::span<std::byte> host, const std::byte* from) = 0;

  // Sets the fields of `call` that depend on the device: its threads, or its stream and scratch memory.
  virtual void equip(KernelCall& call) = 0;
  // Waits until all work is done. Throws if any of it failed.
  virtual void wait() = 0;

  // Returns these bytes of the arena or of upload(), as the caller can read them. Valid until the next call for the
  // same bytes, or the next work.
  virtual std::span<const std::byte> on_host(std::span<const std::byte> bytes) = 0;
};

// Throws Error if the device does not exist: Blame::user in a build without CUDA, Blame::platform if the process sees
// no GPU. `field` is the field of the manifest that asks for the device.
void require_device(Device device, const std::string& field);

// The CPU's kernels divide their work among `threads`, which must outlive the context; null: the calling thread alone.
// Throws Error: Blame::user in a build without CUDA, or if the device has no room for the arena; Blame::platform if the
// device fails.
std::unique_ptr<DeviceContext> make_context(Device device, std::size_t arena_bytes, cpu::ThreadPool* threads);

}  // namespace carrack::train
