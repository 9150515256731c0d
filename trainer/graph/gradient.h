// gradients(): appends the nodes that compute the gradients of a loss to its graph (backpropagation), so that an
// Executor can compute both in one run. Ids of existing values stay the same.
#pragma once

#include <vector>

#include "trainer/graph/graph.h"

namespace carrack::train {

// A graph with gradients.
struct Gradients {
  Graph graph;  // the nodes of the model first, then those of the gradients
  ValueId loss;
  // The gradients, in the order of graph.parameters(). Each is a different output of a node, is not a view, and has the
  // shape of its parameter.
  std::vector<ValueId> of_parameters;
  // For tests: indices in graph.parameters(), in the order in which Executor::run() finishes their gradients.
  std::vector<std::size_t> ready_order;
};

// Returns the graph with the gradients of the loss for all of graph.parameters(); those of fixed parameters are zeros.
// Throws Error with Blame::user if the loss is not a scalar, or if there is a parameter that is not fixed and on which
// the loss does not depend. Throws Error with Blame::bug if the loss depends on a parameter through an operator without
// a gradient; models do not use such operators.
Gradients gradients(Graph graph, ValueId loss);

}  // namespace carrack::train
