// Evaluates graphs by plain loops in double precision, to compare kernels with the results. Slow: the code is meant to
// be so simple that a reader sees that it is right.
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
  // What the random numbers of Dropout depend on.
  Draws draws = {};
};

// Returns every value of the graph, by its id. Indices and labels must be inside of their tables, which is not checked.
// Throws Error with Blame::bug if numbers or sizes of arguments do not fit the graph, or if there is no function for an
// operator.
std::vector<Doubles> evaluate(const Graph& graph, const Arguments& arguments);

}  // namespace carrack::train::reference
