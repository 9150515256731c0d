// Kernels: the functions that compute the operators of a graph on the CPU or a GPU. Each device has a table of them,
// such as {"Add", float32, prepare_binary<...>}. An Executor (executor.h) looks up the kernel of each node and prepares
// it once, when it is constructed, and then calls the prepared kernel for each batch.
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

// Returns the extents of a value of this shape in a batch of `rows` rows, with ones in front: [rows, 3] with 20 rows ->
// {1, 1, 20, 3}. The shape has at most rank_max dimensions.
Extents extents_of(const Dimensions& shape, std::int64_t rows);

// A tensor in the memory of the device. The type of its elements is that of the node's input or output.
struct KernelInput {
  const void* data = nullptr;
  Extents extents = {};
};
struct KernelOutput {
  void* data = nullptr;
  Extents extents = {};
};

// What random numbers (those of Dropout) depend on, in addition to the operator that draws them. A step that is
// computed again, or by another worker, draws the same numbers.
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

// The arguments of one call of a kernel, on a batch of `rows` rows (records). A kernel that sums over rows sums over
// each lane (share of the batch), and adds these sums along the tree of lanes (kernels/lanes.h); the last lane ends at
// `rows`. The data of inputs and outputs, `refused` and the ends of lanes are in the memory of the device. They must
// stay valid until the work is done.
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
// Computes one call. It may reuse working memory of earlier calls, so use it on one thread at a time.
using PreparedKernel = std::function<void(const KernelCall&)>;

// An entry of a table.
struct Kernel {
  std::string_view op;        // the name in the operator table
  Type type = Type::float32;  // the type of the first output
  // Makes the function that computes the node. Does all work that needs neither rows nor data. The result does not
  // refer to the graph or the node.
  PreparedKernel (*prepare)(const Graph& graph, const Node& node) = nullptr;
  // Returns the message to the user about an input element that a call has refused, such as a class that the model does
  // not have. Null if the kernel refuses none, or only elements that an earlier kernel of the graph refuses, too.
  std::string (*refusal)(const Graph& graph, const Node& node, const Refused& refused) = nullptr;
};

// Returns an entry of the table, which lives as long as the process. Null if the device has no kernel for this operator
// and type of its first output. In a build without CUDA, Device::cuda has no kernels.
const Kernel* find_kernel(Device device, std::string_view op, Type type);

// All kernels of a device. cuda_kernels() is empty in a build without CUDA.
std::span<const Kernel> cpu_kernels();
std::span<const Kernel> cuda_kernels();

}  // namespace carrack::train
