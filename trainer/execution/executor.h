// Runs a graph and its gradients on the calling thread. The constructor allocates all memory and looks up all kernels;
// run() allocates none, except that a thread's first large matrix products allocate its packing memory (matrix.h). The
// same parameters and inputs give the same bits on any thread and any worker. An Executor is not thread-safe: lanes
// that run at the same time need one each.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "trainer/execution/kernel.h"
#include "trainer/graph/gradient.h"
#include "trainer/graph/memory_plan.h"
#include "trainer/kernels/layout.h"

namespace carrack::train {

// The values of one input for all records of a batch, record by record.
using FeatureValues = std::variant<std::span<const float>, std::span<const std::int64_t>>;

class Executor {
 public:
  // `layout` places the graph's parameters, by name, in the buffers that run() takes. Throws an Error for the user if
  // `device` has no kernel for an operator of the graph.
  Executor(Gradients gradients, const Layout& layout, std::int64_t rows_max, Device device = Device::cpu);

  // Writes the gradient of the loss, summed over `rows` records, to `gradient_sum`, and returns the sum of the loss;
  // both are zero for no records. Operators draw random numbers by `draws`. `inputs` are in the order of
  // graph().inputs(). Throws an Error for the user if an index is outside of its table, and a bug if types or sizes do
  // not fit.
  float run(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows,
            std::span<float> gradient_sum, const Draws& draws = {});

  const Graph& graph() const { return gradients_.graph; }
  // Positions in graph().parameters(), in the order in which run() finishes their gradients.
  const std::vector<std::size_t>& ready_order() const { return gradients_.ready_order; }
  std::int64_t arena_bytes() const { return plan_.bytes; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  // A node with its kernel, and room for the arguments of a call.
  struct Step {
    const Node* node;
    PreparedKernel kernel;
    std::vector<KernelInput> inputs;
    std::vector<KernelOutput> outputs;
  };
  // Where a value is during a run. `written` is null for a parameter and an input.
  struct Place {
    const void* read = nullptr;
    void* written = nullptr;
    Extents extents = {};
  };

  Step step_for(const Node& node, Device device) const;
  void bind_rows(std::int64_t rows);
  void bind_input(ValueId input, const FeatureValues& values);
  void run(Step& step, const Draws& draws);

  Gradients gradients_;
  MemoryPlan plan_;
  std::int64_t rows_max_;
  std::int64_t flat_size_;
  std::vector<std::int64_t> parameter_offsets_;
  std::unique_ptr<std::byte[], Free> arena_;
  std::vector<Step> steps_;  // in the order of the nodes
  std::int64_t rows_ = -1;
  std::vector<Place> places_;  // by value
};

}  // namespace carrack::train
