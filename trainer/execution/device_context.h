// DeviceContext: hides from an Executor whether it computes on the CPU or on a GPU: where the memory is, and when work
// is done. On the CPU upload() and output_memory() return the caller's own memory, and each call has finished its work
// when it returns. On a GPU they return memory of the GPU, and calls only start work, in order; wait() waits for it.
// Calls that use a GPU throw Error with Blame::platform if it fails, and its subclass cuda::NoRoom if it has not enough
// memory. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "trainer/execution/kernel.h"

namespace carrack::train {

// What an executor computes on: the CPU, or one of the GPUs of this process.
struct Processor {
  constexpr Processor(Device kind = Device::cpu, int gpu = 0) : device(kind), number(gpu) {}

  Device device;
  int number;  // of the GPU, from 0
};

class DeviceContext {
 public:
  virtual ~DeviceContext() = default;

  // Prepares the calling thread for the other functions. Call it first whenever another thread, or another context on
  // the same thread, may have been used since.
  virtual void use() = 0;

  // The memory for all intermediate results, arena_bytes of make_context(), aligned to arena_alignment
  // (graph/memory_plan.h). Valid as long as this object.
  virtual std::byte* arena() = 0;

  // upload() copies `host` to the device and returns the memory from which kernels read it. output_memory() returns
  // memory to which kernels write bytes that download() then copies to `host`. `number` identifies the argument, such
  // as 0 for the parameters; the caller chooses it. With the same number and `host` both functions return the same
  // memory, which is valid until the number is used for more bytes. `host` must stay valid until wait() has returned.
  virtual const std::byte* upload(std::size_t number, std::span<const std::byte> host) = 0;
  virtual std::byte* output_memory(std::size_t number, std::span<std::byte> host) = 0;
  // Allocates memory for the argument `number`, so that later calls with at most `bytes` bytes allocate none. No effect
  // on the CPU.
  virtual void reserve(std::size_t number, std::size_t bytes) = 0;
  // Copies a result of kernels from `from`, in memory of output_memory() or in the arena, to `host`. Does nothing if
  // `from` is the memory of `host`.
  virtual void download(std::span<std::byte> host, const std::byte* from) = 0;

  // Sets the fields of `call` that depend on the device: its threads, or its stream and scratch memory.
  virtual void set_device_fields(KernelCall& call) = 0;
  // Waits until all work is done. Throws Error with Blame::platform if any of it failed.
  virtual void wait() = 0;

  // Returns these bytes, which are in the arena or in memory of upload() or output_memory(), where the caller can read
  // them. Waits for earlier work. The result is valid until the next call for the same bytes, or until more work is
  // started.
  virtual std::span<const std::byte> on_host(std::span<const std::byte> bytes) = 0;
};

// Returns the number of GPUs that this process sees. Throws Error if there are fewer than `needed`, which is at least
// 1: with Blame::user in a build without CUDA, otherwise with Blame::platform. `field`, with which the message begins,
// is the field of the manifest that asks for them.
int require_gpus(int needed, const std::string& field);

using cuda::DeviceMemory;

// Returns how much memory a GPU has, and how much of it is free. Throws Error with Blame::platform if the GPU fails.
// Makes it the calling thread's current GPU, so call DeviceContext::use() before another function of a context.
DeviceMemory memory_of(Processor gpu);

// Makes a context and allocates its arena. Kernels of the CPU divide their work among `threads`, which must outlive the
// context; null: the calling thread computes alone. Not used by GPUs. For a GPU, throws Error: with Blame::user in a
// build without CUDA; with Blame::platform if it fails; cuda::NoRoom if it has no room for the arena. The calling
// thread may use the context without a call of use().
std::unique_ptr<DeviceContext> make_context(Processor processor, std::size_t arena_bytes, cpu::ThreadPool* threads);

}  // namespace carrack::train
