// Kernels by the operators that they compute. A program looks its kernels up once, when it is made.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "trainer/graph/graph.h"
#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/refused.h"
#include "trainer/kernels/shape.h"
#include "trainer/kernels/thread_pool.h"

namespace carrack::train {

enum class Device { cpu, cuda };

// The extents of a value of this shape in a batch of `rows` rows.
Extents extents_of(const Dimensions& shape, std::int64_t rows);

struct KernelInput {
  const void* data = nullptr;
  Extents extents = {};
};
struct KernelOutput {
  void* data = nullptr;
  Extents extents = {};
};

// What random numbers of a run depend on, beside their operator: so a step that is computed again draws the same.
struct Draws {
  std::uint64_t seed = 0;       // of the job
  std::uint64_t step = 0;       // the number of the batch, over all epochs
  std::uint64_t first_row = 0;  // the number in the batch of the first row of the run
  // The number in the batch of each row, ascending, if the batch lacks some rows between these. Empty: all rows follow
  // the first one.
  std::span<const std::uint64_t> rows = {};

  std::uint64_t number_of(std::int64_t row) const {
    return rows.empty() ? first_row + static_cast<std::uint64_t>(row) : rows[static_cast<std::size_t>(row)];
  }
};

// One call of a kernel, on a batch of `rows` rows. A kernel that adds up rows adds up those of each lane, and these
// sums along the tree of lanes; the last lane ends at `rows`. All it reads and writes is in the memory of its device.
struct KernelCall {
  std::int64_t rows = 0;
  LaneEnds lane_ends;
  Draws draws;
  std::span<const KernelInput> inputs;
  std::span<const KernelOutput> outputs;
  Refused* refused = nullptr;  // where it notes what it refuses

  // Of the CPU: it may divide its work among these, as long as that changes no bit. Null: the calling thread alone.
  cpu::ThreadPool* threads = nullptr;
  // Of a GPU: it starts its work in the stream and returns.
  cuda::Stream* stream = nullptr;
  cuda::Scratch* scratch = nullptr;

  void refuse(std::int64_t integer) const { *refused = {.found = 1, .integer = integer}; }
  void refuse(float number) const { *refused = {.found = 1, .number = number}; }
};
using PreparedKernel = std::function<void(const KernelCall&)>;

struct Kernel {
  std::string_view op;                                                        // the operator's name in the table
  Type type = Type::float32;                                                  // of the operator's outputs
  PreparedKernel (*prepare)(const Graph& graph, const Node& node) = nullptr;  // what does not depend on rows or data
  // The message about what a call refused. Null: it refuses nothing that a kernel before it does not refuse, too.
  std::string (*refusal)(const Graph& graph, const Node& node, const Refused& refused) = nullptr;
};

// Null if the device has no kernel for this. A build without CUDA has none for Device::cuda.
const Kernel* find_kernel(Device device, std::string_view op, Type type);

// The tables of devices.
std::span<const Kernel> cpu_kernels();
std::span<const Kernel> cuda_kernels();

}  // namespace carrack::train
