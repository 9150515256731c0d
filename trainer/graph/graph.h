// Graph: the static computation graph of a model: values (tensors), and the nodes (operators) that compute them, in the
// order in which they run. Code in trainer/models builds it once; an Executor (execution/executor.h) runs it for each
// batch.
//
//   Graph graph("spec.model");
//   const ValueId x = graph.input("x", Type::float32, {3});       // [rows, 3]
//   const ValueId weights = graph.parameter("weights", {3, 1});
//   const ValueId y = graph.matmul("y", x, weights);              // [rows, 1]
//
// Types and shapes are inferred while the graph is built. Functions that append throw Error with Blame::user if an
// operator or attribute is unknown, if types or shapes do not fit, or if a value would have more than rank_max
// dimensions. The message begins with path(), such as `spec.model`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/graph/attributes.h"
#include "trainer/graph/operator.h"
#include "trainer/graph/value.h"

namespace carrack::train {

// One use of an operator.
struct Node {
  const Operator* op;  // an entry of the operator table, which lives as long as the process
  Attributes attributes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

class Graph {
 public:
  explicit Graph(std::string path) : path_(std::move(path)) {}

  // Declares an input. `per_record` is the shape of the value of one record; the shape of the input is `batch_rows`,
  // followed by `per_record`.
  ValueId input(std::string name, Type type, const Shape& per_record);
  // Declares a float32 parameter that training changes.
  ValueId parameter(std::string name, const Shape& shape);
  // Declares a float32 parameter that training never changes. Its gradient is zeros.
  ValueId fixed_parameter(std::string name, const Shape& shape);

  // Appends the operator with this name in the operator table. Returns its only output, which gets the name `output`.
  // Names of values appear in messages, and need not be unique. A CHECK fails if an attribute that the operator needs
  // is missing. Throws std::bad_variant_access if one has another type.
  ValueId append(std::string_view op, Attributes attributes, std::vector<ValueId> inputs, std::string output);
  // Appends an operator with several outputs, which get the names `outputs`. A CHECK fails if the number of names is
  // wrong.
  std::vector<ValueId> append(std::string_view op, Attributes attributes, std::vector<ValueId> inputs,
                              std::vector<std::string> outputs);

  // Append the operators that models use most. `name` is the name of the output.
  ValueId matmul(std::string name, ValueId a, ValueId b);
  ValueId add(std::string name, ValueId a, ValueId b);
  ValueId sub(std::string name, ValueId a, ValueId b);
  ValueId mul(std::string name, ValueId a, ValueId b);
  ValueId neg(std::string name, ValueId a);
  // Sums over the axes [axis_begin, axis_end), which must not be empty. The output does not have these axes.
  ValueId reduce_sum(std::string name, ValueId a, std::size_t axis_begin, std::size_t axis_end);
  // Reads rows of `data` along its first dimension.
  ValueId gather(std::string name, ValueId data, ValueId indices);

  // If `id` is a view, such as the output of Reshape, returns the value whose memory it shares; the result is not a
  // view itself. Otherwise returns `id`.
  ValueId source_of(ValueId id) const { return sources_[id]; }

  // Returns the first value that is a sum over the rows of the batch and that a node computes with; nullopt if there is
  // none. A graph with such a value cannot run with lanes, because the node would need the sum over all lanes. Views
  // and copies of a sum do not count as computing with it.
  std::optional<ValueId> sum_in_use() const;

  // The content of the graph. References are valid until something is declared or appended.
  const Value& value(ValueId id) const { return values_[id]; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& parameters() const { return parameters_; }
  const std::string& path() const { return path_; }
  // Sets the path of the part of the manifest from which the next nodes are appended. Messages of errors begin with it.
  void set_path(std::string path) { path_ = std::move(path); }

 private:
  ValueId declare(Value value);
  void require_known(const Operator& op, const Attributes& attributes) const;
  void require_types(const Operator& op, const std::vector<ValueId>& inputs) const;
  std::string described(const Operator& op, const std::vector<ValueId>& inputs) const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::string path_;
  std::vector<Value> values_;
  std::vector<ValueId> sources_;  // by value
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> parameters_;
};

}  // namespace carrack::train
