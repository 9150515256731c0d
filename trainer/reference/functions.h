// The functions that compute one operator of a graph, such as MatMul, in double precision. evaluate() (evaluate.h)
// finds and calls them. To add an operator, add its function to the table of its family.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trainer/reference/evaluate.h"

namespace carrack::train::reference {

// The argument of a function: one node of the graph, and its inputs and outputs. The function reads in(0), in(1), ...
// and writes out(0), ..., which have their sizes already and are filled with zeros. All that it refers to must outlive
// it.
struct Call {
  const Node& node;
  std::int64_t rows;  // number of rows of the batch
  Draws draws;
  std::vector<const Value*> input_values, output_values;  // names, types and shapes
  std::vector<const Doubles*> inputs;                     // elements
  std::vector<Doubles*> outputs;

  const Doubles& in(std::size_t i) const { return *inputs[i]; }
  Doubles& out(std::size_t i = 0) const { return *outputs[i]; }
  Shape in_shape(std::size_t i) const { return with_rows(input_values[i]->shape, rows); }
  Shape out_shape(std::size_t i = 0) const { return with_rows(output_values[i]->shape, rows); }
};

struct Function {
  std::string_view op;  // name of the operator
  void (*compute)(const Call& call);
};

// Returns the function for this operator, which lives as long as the process; null if there is none.
const Function* find_function(std::string_view op);

// The tables of all functions, by family. They live as long as the process.
std::span<const Function> attention_functions();
std::span<const Function> convolution_functions();
std::span<const Function> elementwise_functions();
std::span<const Function> pooling_functions();
std::span<const Function> row_functions();
std::span<const Function> shape_functions();
std::span<const Function> recurrent_functions();

}  // namespace carrack::train::reference
