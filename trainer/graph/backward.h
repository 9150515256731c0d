// Backward: with it an operator appends the nodes of its gradients to a graph (backpropagation). gradients()
// (gradient.h) visits the nodes in reverse and passes a Backward to Operator::gradient of each (operator.h). That
// function appends nodes by emit(), and adds the gradient of each input that needs one by add(). References to values
// of the graph are not valid after a call that appends.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "trainer/graph/graph.h"

namespace carrack::train {

class Backward {
 public:
  // `loss` is a scalar value of `graph`, the original graph. Appends its gradient, which is 1.
  Backward(Graph graph, ValueId loss);

  const Graph& graph() const { return graph_; }
  // Whether `value`, which must be of the original graph, depends on a parameter that is not fixed and so needs a
  // gradient.
  bool is_needed(ValueId value) const { return depends_[value]; }

  // Appends a node and returns its only output: the gradient of `target`, or an intermediate result for it. `target` is
  // only used to name the output. Throws as Graph::append() does.
  ValueId emit(std::string_view op, Attributes attributes, std::vector<ValueId> inputs, ValueId target);
  // Appends a node with several outputs and returns them. Output i is named after targets[i].
  std::vector<ValueId> emit_all(std::string_view op, Attributes attributes, std::vector<ValueId> inputs,
                                const std::vector<ValueId>& targets);

  // Adds `gradient` to the gradient of `target`, a value of the original graph. Appends an Add node if `target` has one
  // already. A CHECK fails unless both values have the same shape.
  void add(ValueId target, ValueId gradient);
  // Adds a gradient with the shape to which `target` was broadcast. Sums it over the broadcast dimensions first.
  void add_summed(ValueId target, ValueId gradient);

  // Returns the sum of the gradients that were added for a value of the original graph; nullopt if none was.
  const std::optional<ValueId>& gradient_of(ValueId value) const { return of_[value]; }

  // Returns the graph with all nodes that were appended.
  Graph take_graph() && { return std::move(graph_); }

 private:
  Graph graph_;
  std::vector<std::optional<ValueId>> of_;  // by value of the original graph
  std::vector<bool> depends_;               // by value of the original graph
};

}  // namespace carrack::train
