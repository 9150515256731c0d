#include "trainer/execution/device_context.h"

#include <algorithm>
#include <map>
#include <new>
#include <vector>

#include "trainer/error.h"
#include "trainer/graph/memory_plan.h"
#include "trainer/kernels/device.h"

namespace carrack::train {
namespace {

class CpuContext final : public DeviceContext {
 public:
  CpuContext(std::size_t arena_bytes, cpu::ThreadPool* threads)
      : arena_(new (std::align_val_t{arena_alignment}) std::byte[arena_bytes]), threads_(threads) {}

  void use() override {}
  std::byte* arena() override { return arena_.get(); }
  const std::byte* upload(std::size_t, std::span<const std::byte> host) override { return host.data(); }
  std::byte* output_memory(std::size_t, std::span<std::byte> host) override { return host.data(); }
  void reserve(std::size_t, std::size_t) override {}
  void download(std::span<std::byte> host, const std::byte* from) override {
    if (from != host.data()) std::copy_n(from, host.size(), host.data());
  }
  void set_device_fields(KernelCall& call) override { call.threads = threads_; }
  void wait() override {}
  std::span<const std::byte> on_host(std::span<const std::byte> bytes) override { return bytes; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{arena_alignment}); }
  };
  std::unique_ptr<std::byte[], Free> arena_;
  cpu::ThreadPool* threads_;
};

class CudaContext final : public DeviceContext {
 public:
  // GPU `number` must be the calling thread's current one (cuda::use_device()), because the members are created on it.
  CudaContext(int number, std::size_t arena_bytes) : number_(number), arena_(arena_bytes) {}

  void use() override { cuda::use_device(number_); }

  std::byte* arena() override { return arena_.data(); }
  const std::byte* upload(std::size_t number, std::span<const std::byte> host) override {
    std::byte* const room = values_[number].at_least(host.size());
    stream_.upload(room, host);
    return room;
  }
  std::byte* output_memory(std::size_t number, std::span<std::byte> host) override {
    return values_[number].at_least(host.size());
  }
  void reserve(std::size_t number, std::size_t bytes) override { values_[number].at_least(bytes); }
  void download(std::span<std::byte> host, const std::byte* from) override { stream_.download(host, from); }
  void set_device_fields(KernelCall& call) override {
    call.stream = &stream_;
    call.scratch = &scratch_;
  }
  void wait() override { stream_.wait(); }
  std::span<const std::byte> on_host(std::span<const std::byte> bytes) override {
    std::vector<std::byte>& copy = copies_[bytes.data()];
    copy.resize(bytes.size());
    stream_.download(copy, bytes.data());
    stream_.wait();
    return copy;
  }

 private:
  int number_;
  cuda::Memory arena_;
  cuda::Stream stream_;
  cuda::Scratch scratch_;
  std::map<std::size_t, cuda::Scratch> values_;
  std::map<const std::byte*, std::vector<std::byte>> copies_;
};

}  // namespace

int require_gpus(int needed, const std::string& field) {
  const std::string toolkit(cuda::toolkit_version());
  if (toolkit.empty()) {
    throw Error(Blame::user,
                field + ": this carrack-trainer was built without CUDA; use the image carrack/trainer-cuda");
  }
  const int found = cuda::device_count();
  if (found >= needed) return found;
  const std::string sees =
      found == 0 ? "no GPU" : "only " + std::to_string(found) + " of " + std::to_string(needed) + " GPUs";
  const std::string all = needed == 1 ? "one" : "them";
  throw Error(Blame::platform, field + ": this process sees " + sees + "; look whether nvidia-smi lists " + all +
                                   " on its machine, and "
                                   "whether the driver is recent enough for CUDA " +
                                   toolkit);
}

DeviceMemory memory_of(Processor gpu) {
  cuda::use_device(gpu.number);
  return cuda::device_memory();
}

std::unique_ptr<DeviceContext> make_context(Processor processor, std::size_t arena_bytes, cpu::ThreadPool* threads) {
  switch (processor.device) {
    case Device::cpu:
      return std::make_unique<CpuContext>(arena_bytes, threads);
    case Device::cuda:
      cuda::use_device(processor.number);
      return std::make_unique<CudaContext>(processor.number, arena_bytes);
  }
  throw Error(Blame::bug, "a device without a context");
}

}  // namespace carrack::train
