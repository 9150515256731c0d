// Evaluates graphs by plain loops in double precision. Tests and `carrack step` compare the results of the fast kernels
// with these values. Slow: the code is so simple that a reader can see that it is right.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/execution/kernel.h"
#include "trainer/graph/graph.h"

namespace carrack::train::reference {

// The elements of a value in row-major order. Values of type int64 are doubles, too, and exact up to 2^53.
using Doubles = std::vector<double>;

struct Arguments {
  std::vector<Doubles> parameters;  // in the order of graph.parameters()
  std::vector<Doubles> inputs;      // in the order of graph.inputs(), of `rows` rows
  std::int64_t rows = 0;
  Draws draws = {};  // seed, step and rows, on which the random numbers of Dropout depend
};

// Returns the elements of every value of the graph, by its id: parameters, inputs and the results of all operators.
// Values that are indices or labels must be inside of their tables; this is not checked. Throws Error with Blame::bug
// if numbers or sizes of arguments do not fit the graph, or if an operator has no function (functions.h).
std::vector<Doubles> evaluate(const Graph& graph, const Arguments& arguments);

}  // namespace carrack::train::reference
