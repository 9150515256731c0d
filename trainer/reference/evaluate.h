// Evaluates graphs by plain loops in double precision, to compare kernels with the results. Slow, and meant to be right
// by reading. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/execution/kernel.h"
#include "trainer/graph/graph.h"

namespace carrack::train::reference {

// The elements of a value in row-major order. Integers are exact up to 2^53.
using Doubles = std::vector<double>;

struct Arguments {
  std::vector<Doubles> parameters;  // in the order of graph.parameters()
  std::vector<Doubles> inputs;      // in the order of graph.inputs(), of `rows` rows
  std::int64_t rows = 0;
  // The numbers that Dropout draws depend on these.
  Draws draws = {};
};

// Returns every value of the graph, by its id. Indices and labels must be inside of their tables, which is not checked.
// Throws Error with Blame::bug if the arguments are not those of the graph.
std::vector<Doubles> evaluate(const Graph& graph, const Arguments& arguments);

}  // namespace carrack::train::reference
