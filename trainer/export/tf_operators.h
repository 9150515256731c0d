// OperatorWriter: converts the nodes of a model's graph (trainer/graph) to nodes of TensorFlow, for `carrack export`. A
// node may become several. saved_model.cc sets the outputs for inputs and parameters, then appends all nodes in their
// order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trainer/export/graph_builder.h"
#include "trainer/export/recurrent_functions.h"
#include "trainer/graph/graph.h"

namespace carrack::train::tf {

class OperatorWriter {
 public:
  // Reads nodes from `graph` and appends to `to`. Both must outlive this.
  OperatorWriter(const Graph& graph, GraphBuilder& to) : graph_(graph), to_(to) {}

  // Sets which output of TensorFlow's graph, such as "MatMul_3", has this value of the model's graph. Set inputs and
  // parameters before a node that reads them is appended.
  void set(ValueId id, std::string output) { outputs_[id] = std::move(output); }
  // Returns the output that has this value, valid as long as this object. Throws std::out_of_range if none was set.
  const std::string& output(ValueId id) const { return outputs_.at(id); }

  // Appends the nodes that compute the node's first output, and sets that output. Other outputs are not computed. Call
  // it for each node, in the order of graph.nodes(). Throws Error: with Blame::bug for an operator that is not
  // exported, with Blame::user for a size beyond int32.
  void append(const Node& node);

 private:
  std::string written(const Node& node);
  std::string binary(const Node& node, const char* op);
  std::string unary(const Node& node, const char* op);
  std::string gelu(const Node& node);
  std::string product(const Node& node);
  std::string reshape(const std::string& x, const Dimensions& shape);
  std::string expand(const Node& node);
  std::string concat(const Node& node);
  std::string slice(const Node& node);
  std::string layer_normalization(const Node& node);
  std::string attention(const Node& node);
  std::string by_head(ValueId sequence, std::int64_t heads);
  std::string seen(const Node& node, const std::string& scores);
  std::string convolution(const Node& node);
  std::string pooling(const Node& node);
  std::string recurrent(const Node& node);
  std::string transposed(const std::string& x, const std::vector<std::int32_t>& order = {1, 0, 2});
  const Dimensions& shape(ValueId id) const { return graph_.value(id).shape; }

  const Graph& graph_;
  GraphBuilder& to_;
  std::map<ValueId, std::string> outputs_;
  std::map<std::string, RecurrentFunctions> functions_;  // by operator, those that are already in the graph
};

}  // namespace carrack::train::tf
