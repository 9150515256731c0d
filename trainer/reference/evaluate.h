// Graphs evaluated by plain loops in double precision: what kernels are compared with. Slow, and meant to be right by
// reading. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/execution/kernel.h"
#include "trainer/graph/graph.h"

namespace carrack::train::reference {

// The elements of a value in row-major order. Those of int64 are exact up to 2^53.
using Doubles = std::vector<double>;

struct Arguments {
  std::vector<Doubles> parameters;  // in the order of graph.parameters()
  std::vector<Doubles> inputs;      // in the order of graph.inputs(), of `rows` rows
  std::int64_t rows = 0;
  Draws draws = {};
};

// Every value of the graph, by id. Indices and labels must be inside of their tables.
std::vector<Doubles> evaluate(const Graph& graph, const Arguments& arguments);

}  // namespace carrack::train::reference
