// Functions in the library of an exported TensorFlow graph, for a StatelessWhile node that loops over the time steps of
// an LSTM or GRU layer: the condition of the loop, and its body, which computes one step. The caller (tf_operators.cc)
// adds that node. The loops of both layers have the same variables, in this order:
//   step           int32, the number of the step, from 0
//   steps          int32, the number of steps
//   inputs         [steps, rows, gates * units], the products of the layer's input and its weights, plus the bias
//   h, c           [rows, units], the state; a GRU does not use c
//   outputs        a list of the h of all steps
//   weights        [units, gates * units], for the products of the state
//   bias           [gates * units], added to these products; an LSTM does not use it
#pragma once

#include <string>
#include <vector>

#include "trainer/export/graph_builder.h"

namespace carrack::train::tf {

struct RecurrentFunctions {
  std::string condition, body;  // their names in the graph's library
};

// Appends the functions for `op`, "LSTM" or "GRU", to the graph. Call it at most once for each `op` in a graph.
RecurrentFunctions add_recurrent_functions(GraphBuilder& graph, const std::string& op);

// The types of the loop's values, in the order above.
std::vector<DataType> recurrent_loop_types();

}  // namespace carrack::train::tf
