// A model of the manifest as what the trainer works on: its parameters and how they begin, the features it reads of
// each record, and its loss as a graph.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trainer/graph/graph.h"
#include "trainer/kernels/layout.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// How a parameter begins: evenly from [-limit, limit), zero for zeros.
struct Parameter {
  std::string name;
  Shape shape;
  float limit = 0;
};

struct ModelGraph {
  std::vector<Parameter> parameters;
  std::vector<Feature> features;  // In the order of graph.inputs().
  Graph graph;
  ValueId loss;  // Summed over the records.
};

// LinearRegression: parameters `w` [size of the input] and `b` [1]; prediction = input w + b; loss = (prediction -
// target)^2. Tally: parameter `tally` [records]; loss = -tally[record], so that its gradient is -1 where a record
// comes. Throws, for the user, what check() finds.
ModelGraph model_graph(const Model& model, const Data& data);

Layout layout_of(const ModelGraph& model);

// The initial values of a range of the flat buffer; each element is a function of seed, tensor name and its place in
// the tensor, so that every server can make its own.
void initialize(const ModelGraph& model, std::uint64_t seed, Range range, std::span<float> values);

}  // namespace carrack::train
