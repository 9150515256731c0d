// The gradient of a loss as more of the same graph: what a reverse walk over it appends. Parameters and loss keep their
// places; nothing is computed here.
#pragma once

#include <vector>

#include "trainer/graph/graph.h"

namespace carrack::train {

struct Gradients {
  Graph graph;
  ValueId loss;
  // In the order of graph.parameters(). Each is the output of a node of its own, with the parameter's shape.
  std::vector<ValueId> of_parameters;
  // Positions in graph.parameters(), in the order in which their gradients are done: the schedule of communication.
  std::vector<std::size_t> ready_order;
};

// Throws, for the user, where the loss is no scalar, or does not depend on one of the parameters.
Gradients gradients(Graph graph, ValueId loss);

}  // namespace carrack::train
