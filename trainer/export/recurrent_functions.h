// One step of LSTM and GRU as functions of TensorFlow, for the loop over the steps of a layer. Both kinds of loop have
// the same values:
//   step           int32, the number of the step
//   steps          int32, how many there are
//   inputs         [steps, rows, gates units], the products of the layer's input with its weights, and the bias
//   h, c           [rows, units], the state; GRU does not use c
//   outputs        a list of the h of all steps
//   weights        [units, gates units]
//   bias           [gates units], of the state's products; LSTM does not use it
#pragma once

#include <string>
#include <vector>

#include "trainer/export/graph_builder.h"

namespace carrack::train::tf {

struct RecurrentFunctions {
  std::string condition, body;  // their names
};

// Appends the functions for `op`, LSTM or GRU, to the graph. To be called once for each.
RecurrentFunctions add_recurrent_functions(GraphBuilder& graph, const std::string& op);

// The types of the loop's values, in order.
std::vector<DataType> recurrent_loop_types();

}  // namespace carrack::train::tf
