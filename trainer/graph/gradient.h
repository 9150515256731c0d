// Appends the gradients of a loss to its graph, visiting the nodes in reverse. Ids of existing values stay the same.
#pragma once

#include <vector>

#include "trainer/graph/graph.h"

namespace carrack::train {

struct Gradients {
  Graph graph;
  ValueId loss;
  // In the order of graph.parameters(). Each is an output of its own, not a view, and has the parameter's shape.
  std::vector<ValueId> of_parameters;
  // Positions in graph.parameters(), in the order in which Executor::run() finishes their gradients.
  std::vector<std::size_t> ready_order;
};

// Returns the gradients of the loss for all of graph.parameters(); those of fixed parameters are zeros. Throws Error
// with Blame::user if the loss is not a scalar, or does not depend on a parameter that is not fixed. Throws Error with
// Blame::bug if it depends on one through an operator without a gradient; models do not use such operators.
Gradients gradients(Graph graph, ValueId loss);

}  // namespace carrack::train
