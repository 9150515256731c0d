// Kernels, found by the operators that they compute. An Executor looks its kernels up once, when it is constructed.
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

// Returns the extents of a value of this shape in a batch of `rows` rows, with ones in front. The shape has at most
// rank_max dimensions.
Extents extents_of(const Dimensions& shape, std::int64_t rows);

struct KernelInput {
  const void* data = nullptr;
  Extents extents = {};
};
struct KernelOutput {
  void* data = nullptr;
  Extents extents = {};
};

// What random numbers depend on, in addition to the operator that draws them. A step that is computed again draws the
// same numbers.
struct Draws {
  std::uint64_t seed = 0;       // of the job
  std::uint64_t step = 0;       // the number of the batch, over all epochs
  std::uint64_t first_row = 0;  // the number in the batch of the first row of the run
  // The number in the batch of each row, ascending, if the rows are not consecutive in the batch. Empty: they are
  // consecutive from first_row on.
  std::span<const std::uint64_t> rows = {};

  // Returns the number in the batch of row `row` of the run.
  std::uint64_t number_of(std::int64_t row) const {
    return rows.empty() ? first_row + static_cast<std::uint64_t>(row) : rows[static_cast<std::size_t>(row)];
  }
};

// One call of a kernel, on a batch of `rows` rows. A kernel that sums over rows sums over each lane, and adds these
// sums along the tree of lanes; the last lane ends at `rows`. The data of inputs and outputs, `refused` and the ends of
// lanes are in the memory of the device. They must stay valid until the work is done.
struct KernelCall {
  std::int64_t rows = 0;
  LaneEnds lane_ends;
  Draws draws;
  std::span<const KernelInput> inputs;
  std::span<const KernelOutput> outputs;
  Refused* refused = nullptr;  // where the kernel reports an input that it cannot use

  // For the CPU: the kernel may divide its work among these threads, if that changes no bit. Null: the calling thread
  // computes alone.
  cpu::ThreadPool* threads = nullptr;
  // For a GPU: the kernel starts its work in the stream and returns immediately. `scratch` is working memory for it.
  cuda::Stream* stream = nullptr;
  cuda::Scratch* scratch = nullptr;

  // For kernels of the CPU, which can write to `refused`. The kernel should return after it.
  void refuse(std::int64_t integer) const { *refused = {.found = 1, .integer = integer}; }
  void refuse(float number) const { *refused = {.found = 1, .number = number}; }
};
// Computes one call. It may keep working memory between calls, so use it on one thread at a time.
using PreparedKernel = std::function<void(const KernelCall&)>;

struct Kernel {
  std::string_view op;        // the name in the operator table
  Type type = Type::float32;  // the type of the first output
  // Does all work that needs neither rows nor data. The result does not refer to the graph or the node.
  PreparedKernel (*prepare)(const Graph& graph, const Node& node) = nullptr;
  // Returns the message for an element that a call has refused. Null if the kernel refuses only elements that an
  // earlier kernel of the graph refuses, too.
  std::string (*refusal)(const Graph& graph, const Node& node, const Refused& refused) = nullptr;
};

// Returns an entry of the table, which lives as long as the process. Null if the device has no kernel for this operator
// and type of its first output. In a build without CUDA, Device::cuda has no kernels.
const Kernel* find_kernel(Device device, std::string_view op, Type type);

// All kernels of a device.
std::span<const Kernel> cpu_kernels();
std::span<const Kernel> cuda_kernels();

}  // namespace carrack::train
