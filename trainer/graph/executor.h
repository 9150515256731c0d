// Runs a graph and its gradients on one cpu thread. All memory is taken when it is made: run() allocates nothing.
// The same parameters and inputs give the same bits, on whatever thread and wherever they lie in memory; so a lane that
// is run by itself has the same sums on any worker. Lanes that run at the same time need an Executor each.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "trainer/graph/gradient.h"
#include "trainer/graph/memory_plan.h"
#include "trainer/kernels/layout.h"

namespace carrack::train {

// What a batch has for one input: the values of all its records, one after the other.
using FeatureValues = std::variant<std::span<const float>, std::span<const std::int64_t>>;

class Executor {
 public:
  // `layout` places the graph's parameters, by name, in the buffers that run() takes.
  Executor(Gradients gradients, const Layout& layout, std::int64_t rows_max);

  // The gradient of the loss, summed over `rows` records, is written over `gradient_sum`; the sum of the loss is
  // returned. `inputs` are in the order of graph().inputs(). No records give zeros. Throws, for the user, where an
  // index is outside its table; a bug for values that are not the inputs' type and size.
  float run(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows,
            std::span<float> gradient_sum);

  const Graph& graph() const { return gradients_.graph; }
  // Positions in graph().parameters(), in the order in which run() finishes their gradients.
  const std::vector<std::size_t>& ready_order() const { return gradients_.ready_order; }
  std::int64_t arena_bytes() const { return plan_.bytes; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };

  void bind_rows(std::int64_t rows);
  void bind_input(ValueId input, const FeatureValues& values);
  void compute(const op::Constant& op, const Node& node);
  void compute(const op::Gemm& op, const Node& node);
  void compute(const op::Add& op, const Node& node);
  void compute(const op::Sub& op, const Node& node);
  void compute(const op::Mul& op, const Node& node);
  void compute(const op::Neg& op, const Node& node);
  void compute(const op::Identity& op, const Node& node);
  void compute(const op::ReduceSum& op, const Node& node);
  void compute(const op::Expand& op, const Node& node);
  void compute(const op::Gather& op, const Node& node);
  void compute(const op::ScatterAdd& op, const Node& node);

  Gradients gradients_;
  MemoryPlan plan_;
  std::int64_t rows_max_;
  std::int64_t flat_size_;
  std::vector<std::int64_t> parameter_offsets_;
  std::unique_ptr<std::byte[], Free> arena_;
  std::int64_t rows_ = -1;

  // By tensor, as of the present run.
  std::vector<Extents> extents_;
  std::vector<const float*> read_;
  std::vector<float*> written_;
  std::vector<std::span<const std::int64_t>> indices_;
};

}  // namespace carrack::train
