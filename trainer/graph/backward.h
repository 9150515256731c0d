// What the gradient of an operator is made with. gradients() walks over the nodes in reverse with it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "trainer/graph/graph.h"

namespace carrack::train {

class Backward {
 public:
  // To append the gradients of `loss` to `graph`.
  Backward(Graph graph, ValueId loss);

  const Graph& graph() const { return graph_; }
  // Whether a value of the original graph depends on a parameter that is not fixed, so that it needs a gradient.
  bool is_needed(ValueId value) const { return depends_[value]; }

  // Appends a node whose one output is the gradient of `target`, or a step on the way to it.
  ValueId emit(std::string_view op, Attributes attributes, std::vector<ValueId> inputs, ValueId target);
  // The same for a node with several outputs, one for each target.
  std::vector<ValueId> emit_all(std::string_view op, Attributes attributes, std::vector<ValueId> inputs,
                                const std::vector<ValueId>& targets);

  // Adds to the gradient of `target`; both have the same shape.
  void add(ValueId target, ValueId gradient);
  // The same if `target` was broadcast to the shape of `gradient`: sums it down to the shape of `target` first.
  void add_summed(ValueId target, ValueId gradient);

  // The gradient of a value so far; nullopt if there is none.
  const std::optional<ValueId>& gradient_of(ValueId value) const { return of_[value]; }

  Graph take_graph() && { return std::move(graph_); }

 private:
  Graph graph_;
  std::vector<std::optional<ValueId>> of_;  // by value of the original graph
  std::vector<bool> depends_;               // by value of the original graph
};

}  // namespace carrack::train
