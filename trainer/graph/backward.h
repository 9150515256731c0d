// Builds the gradients of a graph: gradients() visits the nodes in reverse, and Operator::gradient appends nodes by it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "trainer/graph/graph.h"

namespace carrack::train {

class Backward {
 public:
  // `loss` is a scalar of `graph`. Its gradient is 1.
  Backward(Graph graph, ValueId loss);

  const Graph& graph() const { return graph_; }
  // Whether `value`, of the original graph, needs a gradient: it depends on a parameter that is not fixed.
  bool is_needed(ValueId value) const { return depends_[value]; }

  // Appends a node with one output: the gradient of `target`, or a step on the way to it. `target` only names it.
  ValueId emit(std::string_view op, Attributes attributes, std::vector<ValueId> inputs, ValueId target);
  // Appends a node with several outputs, one for each target, by which they are named.
  std::vector<ValueId> emit_all(std::string_view op, Attributes attributes, std::vector<ValueId> inputs,
                                const std::vector<ValueId>& targets);

  // Adds `gradient` to the gradient of `target`. Both must have the same shape.
  void add(ValueId target, ValueId gradient);
  // Adds a gradient that has the shape to which `target` was broadcast. Sums it to the shape of `target` first.
  void add_summed(ValueId target, ValueId gradient);

  // The gradient that was added for a value of the original graph until now; nullopt if none was.
  const std::optional<ValueId>& gradient_of(ValueId value) const { return of_[value]; }

  Graph take_graph() && { return std::move(graph_); }

 private:
  Graph graph_;
  std::vector<std::optional<ValueId>> of_;  // by value of the original graph
  std::vector<bool> depends_;               // by value of the original graph
};

}  // namespace carrack::train
