// Executor: runs the graph of a model on batches of records, on the CPU or a GPU: run() computes the loss and the
// gradients of the parameters, evaluate() computes values such as the model's outputs. Workers use it through
// SplitExecutor, `carrack step` and Inference (evaluation/inference.h) directly. The same arguments give the same bits
// on any device, number of threads and worker. Not thread-safe.
//
// The constructor allocates the memory of all results and looks up all kernels. On the CPU run() then allocates only
// working memory that kernels reuse, once for each thread and once for each ScatterAdd node. On a GPU it allocates
// memory when it needs more than in earlier calls.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "trainer/execution/device_context.h"
#include "trainer/execution/kernel.h"
#include "trainer/graph/gradient.h"
#include "trainer/graph/memory_plan.h"
#include "trainer/kernels/layout.h"

namespace carrack::train {

// A view of the values of one input for all records of a batch, record after record, of type float32 or int64.
using FeatureValues = std::variant<std::span<const float>, std::span<const std::int64_t>>;

struct RunOptions {
  // The ends of the lanes (shares of a batch, kernels/lanes.h) in numbers of rows. Sums over rows are computed for each
  // lane and added along the tree of lanes, with the same bits as if each lane had a run of its own. The ends are in
  // the memory of the CPU; the last one must be the number of rows. Empty: no lanes.
  LaneEnds lane_ends = {};
  // What random numbers, such as those of Dropout, depend on.
  Draws draws = {};
  // The caller passes the same parameters as in the previous call, at the same address and with the same values, so
  // they need not be copied to a GPU again. Must be false in the first call. Not checked.
  bool same_parameters = false;
};

class Executor {
 public:
  // `layout` says where the graph's parameters, by name, are in the flat buffers that run() takes; only the constructor
  // reads it. A run has at most `rows_max` records. The CPU's kernels divide their work among `threads`, which must
  // outlive this; null: the calling thread computes alone. With MemoryReuse::off elements() can read all values. Throws
  // Error: with Blame::user if `processor` has no kernel for an operator, or if it is a GPU and this build is without
  // CUDA; with Blame::bug if `layout` does not fit the graph; with Blame::platform if the GPU fails, which is a
  // cuda::NoRoom if it has no room for the results.
  Executor(Gradients gradients, const Layout& layout, std::int64_t rows_max, cpu::ThreadPool* threads = nullptr,
           Processor processor = {}, MemoryReuse reuse = MemoryReuse::on);

  // For a graph without gradients. After evaluate(), elements() can read the values `wanted`. Throws as the other
  // constructor does.
  Executor(Graph graph, std::span<const ValueId> wanted, const Layout& layout, std::int64_t rows_max,
           cpu::ThreadPool* threads = nullptr, Processor processor = {});

  // Writes the gradient of the loss, summed over `rows` records, to `gradient_sum`, and returns the sum of the losses,
  // which may be infinite or NaN. Both are 0 for no records. `parameters` and `gradient_sum` have the layout that the
  // constructor got. `inputs` are in the order of graph().inputs(), and must stay valid during the call. Throws Error:
  // with Blame::user for an input that cannot be used, such as an index outside of its table; with Blame::bug if types
  // or sizes do not fit, if `rows` is more than rows_max, or for more than one lane if the graph has a sum_in_use();
  // with Blame::platform if a GPU fails, which is a cuda::NoRoom if it has no room. After an error the results are
  // undefined.
  float run(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows,
            std::span<float> gradient_sum, const RunOptions& options = {});

  // Computes the values of a graph that was made without gradients, without lanes or Draws. Throws as run() does, and
  // Error with Blame::bug if the graph has gradients.
  void evaluate(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows);

  // Returns the elements of a float32 value after run() or evaluate(). They are valid until the next call of these, and
  // only while the arguments of the last one exist. The executor must have been made with MemoryReuse::off, or the
  // value must be one of `wanted`; for others the elements have no meaning, which is not checked.
  std::span<const float> elements(ValueId id) const;

  const Graph& graph() const { return gradients_.graph; }
  // For tests: indices in graph().parameters(), in the order in which run() finishes their gradients.
  const std::vector<std::size_t>& ready_order() const { return gradients_.ready_order; }

 private:
  Executor(Gradients gradients, MemoryPlan plan, const Layout& layout, std::int64_t rows_max, cpu::ThreadPool* threads,
           Processor processor);
  // A node with its kernel, and room for the arguments of a call.
  struct Step {
    const Node* node;
    const Kernel* kernel;
    PreparedKernel run;
    std::vector<KernelInput> inputs;
    std::vector<KernelOutput> outputs;
  };
  // Where a value is during a run, in the memory of the device. `written` is null for parameters and inputs.
  struct Place {
    const void* read = nullptr;
    void* written = nullptr;
    Extents extents = {};
  };

  Step step_for(const Node& node) const;
  void reserve();
  void bind(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows,
            bool same_parameters);
  std::byte* bind_gradients(std::span<float> gradient_sum);
  void run_steps(RunOptions options);
  void finish();
  void bind_rows(std::int64_t rows);
  void bind_input(std::size_t number, const FeatureValues& values);
  void run(Step& step, const RunOptions& options, Refused* refused);
  void throw_if_refused(const Step& step, const Refused& refused) const;

  Gradients gradients_;
  MemoryPlan plan_;
  std::optional<ValueId> sum_in_use_;  // Graph::sum_in_use()
  std::int64_t rows_max_;
  std::int64_t flat_size_;
  std::vector<std::int64_t> parameter_offsets_;
  Device device_;
  std::unique_ptr<DeviceContext> context_;
  std::vector<Step> steps_;       // in the order of the nodes
  std::vector<Refused> refused_;  // for each step
  std::int64_t rows_ = -1;
  std::vector<Place> places_;  // by ValueId
};

}  // namespace carrack::train
