// The static graph of a model: values, and the operators between them in the order in which they run. Shapes are
// inferred while the graph is built. What does not fit throws an Error for the user, which begins with the path of the
// manifest that the graph was made with, such as `spec.model`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/graph/attributes.h"
#include "trainer/graph/operator.h"
#include "trainer/graph/value.h"

namespace carrack::train {

struct Node {
  const Operator* op;  // an entry of the table, which lives as long as the process
  Attributes attributes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

class Graph {
 public:
  explicit Graph(std::string path) : path_(std::move(path)) {}

  // `per_record` is the shape of one record's value; the shape of the input has `batch_rows` in front of it.
  ValueId input(std::string name, Type type, const Shape& per_record);
  ValueId parameter(std::string name, const Shape& shape);
  // A parameter that training never changes: its gradient is 0, and nothing is computed for it.
  ValueId fixed_parameter(std::string name, const Shape& shape);

  // Appends an operator, by its name in the table. `output` is the name of its only output.
  ValueId append(std::string_view op, Attributes attributes, std::vector<ValueId> inputs, std::string output);
  // The same for an operator with as many outputs as there are names.
  std::vector<ValueId> append(std::string_view op, Attributes attributes, std::vector<ValueId> inputs,
                              std::vector<std::string> outputs);

  // The operators that models are written with. `name` is the output's.
  ValueId matmul(std::string name, ValueId a, ValueId b);
  ValueId add(std::string name, ValueId a, ValueId b);
  ValueId sub(std::string name, ValueId a, ValueId b);
  ValueId mul(std::string name, ValueId a, ValueId b);
  ValueId neg(std::string name, ValueId a);
  // Over the axes [begin, end), which the output does not have.
  ValueId reduce_sum(std::string name, ValueId a, std::size_t axis_begin, std::size_t axis_end);
  ValueId gather(std::string name, ValueId data, ValueId indices);

  // The value whose elements this one shows, which is no view itself; `id` if it is not a view.
  ValueId source_of(ValueId id) const { return sources_[id]; }

  // The first value summed over rows that another node computes with; nullopt if there is none. Such a graph cannot run
  // with lanes, as the sum over all of them would have to be there first. Views and copies only pass a sum on.
  std::optional<ValueId> sum_in_use() const;

  const Value& value(ValueId id) const { return values_[id]; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& parameters() const { return parameters_; }
  const std::string& path() const { return path_; }
  // Of the part of the manifest that what is appended from now on is made with.
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
