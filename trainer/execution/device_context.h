// The memory of a device that an executor works in, and the order of its work. The CPU works in the caller's memory,
// and each call has done its work when it returns. A GPU has copies of values, and starts work that wait() waits for.
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

  // The place of all intermediate results.
  virtual std::byte* arena() = 0;

  // What the caller has in `host`, for kernels to read, and room for what they write; for each number until it is used
  // for more bytes. Both give the same place. The memory of `host` must stay until wait() has returned.
  virtual const std::byte* upload(std::size_t number, std::span<const std::byte> host) = 0;
  virtual std::byte* room_for(std::size_t number, std::span<std::byte> host) = 0;
  // Copies from such room, or from the arena, unless it is the caller's memory anyway.
  virtual void download(std::span<std::byte> host, const std::byte* from) = 0;

  // Sets what a call takes of the device.
  virtual void equip(KernelCall& call) = 0;
  // Until all work is done. Throws if any of it failed.
  virtual void wait() = 0;

  // These bytes, where the caller can read them until the next call for the same ones.
  virtual std::span<const std::byte> on_host(std::span<const std::byte> bytes) = 0;
};

// Throws an Error about the field of the manifest that asks for this device, if there is none.
void require_device(Device device, const std::string& field);

// `threads` are for the kernels of the CPU, and must outlive this; null: the calling thread alone. Throws an Error if
// there is no such device, or it has not enough memory.
std::unique_ptr<DeviceContext> make_context(Device device, std::size_t arena_bytes, cpu::ThreadPool* threads);

}  // namespace carrack::train
