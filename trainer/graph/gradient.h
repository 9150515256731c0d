// Appends the gradients of a loss to its graph, by a reverse walk over the nodes. Ids of existing tensors stay the
// same.
#pragma once

#include <vector>

#include "trainer/graph/graph.h"

namespace carrack::train {

struct Gradients {
  Graph graph;
  ValueId loss;
  // In the order of graph.parameters(). Each is the output of a node of its own and has the parameter's shape.
  std::vector<ValueId> of_parameters;
  // Positions in graph.parameters(), in the order in which run() finishes their gradients.
  std::vector<std::size_t> ready_order;
};

// The gradients of the loss for all of graph.parameters(), which are zeros for fixed ones. Throws an Error with
// Blame::user if the loss is not a scalar, or if there is another parameter that it does not depend on; with Blame::bug
// if it depends on one by an operator that has no gradient, which only gradients themselves do.
Gradients gradients(Graph graph, ValueId loss);

}  // namespace carrack::train
