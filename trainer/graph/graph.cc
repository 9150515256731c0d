#include "trainer/graph/graph.h"

#include <algorithm>
#include <utility>

#include "dataloader/check.h"
#include "trainer/error.h"

namespace carrack::train {

ValueId Graph::input(std::string name, Type type, const Shape& per_record) {
  Dimensions shape(per_record.begin(), per_record.end());
  shape.insert(shape.begin(), batch_rows);
  inputs_.push_back(declare({std::move(name), type, std::move(shape)}));
  return inputs_.back();
}

ValueId Graph::parameter(std::string name, const Shape& shape) {
  parameters_.push_back(declare({std::move(name), Type::float32, Dimensions(shape.begin(), shape.end())}));
  return parameters_.back();
}

ValueId Graph::fixed_parameter(std::string name, const Shape& shape) {
  const ValueId id = parameter(std::move(name), shape);
  values_[id].is_fixed = true;
  return id;
}

ValueId Graph::append(std::string_view op, Attributes attributes, std::vector<ValueId> inputs, std::string output) {
  return append(op, std::move(attributes), std::move(inputs), std::vector{std::move(output)}).front();
}

std::vector<ValueId> Graph::append(std::string_view name, Attributes attributes, std::vector<ValueId> inputs,
                                   std::vector<std::string> outputs) {
  const Operator* op = find_operator(name);
  if (op == nullptr) refuse("there is no operator " + std::string(name));
  require_known(*op, attributes);
  require_types(*op, inputs);
  Application application{attributes, {}};
  for (const ValueId input : inputs) application.inputs.push_back(&values_[input]);
  Outputs inferred = op->infer(application);
  if (const auto* misfit = std::get_if<Misfit>(&inferred)) refuse(described(*op, inputs) + ": " + misfit->why);
  auto& typed_shapes = std::get<std::vector<TypedShape>>(inferred);
  CHECK_EQ(typed_shapes.size(), outputs.size());
  std::vector<ValueId> ids;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    ids.push_back(declare({std::move(outputs[i]), typed_shapes[i].type, std::move(typed_shapes[i].shape)}));
  }
  if (op->is_view) sources_[ids.front()] = sources_[inputs.front()];
  nodes_.push_back({op, std::move(attributes), std::move(inputs), ids});
  return ids;
}

std::optional<ValueId> Graph::sum_in_use() const {
  std::vector<bool> depends_on_rows(values_.size());
  for (const ValueId input : inputs_) depends_on_rows[input] = true;
  const auto is_sum = [&](ValueId id) {
    return depends_on_rows[id] && std::ranges::none_of(values_[id].shape, &Dimension::of_rows);
  };
  for (const Node& node : nodes_) {
    const bool passes_on = node.op->is_view || node.op->is_copy;
    for (const ValueId input : node.inputs) {
      if (is_sum(input) && !passes_on) return input;
      if (!depends_on_rows[input]) continue;
      for (const ValueId output : node.outputs) depends_on_rows[output] = true;
    }
  }
  return std::nullopt;
}

ValueId Graph::matmul(std::string name, ValueId a, ValueId b) {
  return append("MatMul", {}, {a, b}, std::move(name));
}

ValueId Graph::add(std::string name, ValueId a, ValueId b) {
  return append("Add", {}, {a, b}, std::move(name));
}

ValueId Graph::sub(std::string name, ValueId a, ValueId b) {
  return append("Sub", {}, {a, b}, std::move(name));
}

ValueId Graph::mul(std::string name, ValueId a, ValueId b) {
  return append("Mul", {}, {a, b}, std::move(name));
}

ValueId Graph::neg(std::string name, ValueId a) {
  return append("Neg", {}, {a}, std::move(name));
}

ValueId Graph::reduce_sum(std::string name, ValueId a, std::size_t axis_begin, std::size_t axis_end) {
  std::vector<std::int64_t> axes;
  for (std::size_t axis = axis_begin; axis < axis_end; ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  return append("ReduceSum", {{"axes", std::move(axes)}, {"keepdims", std::int64_t{0}}}, {a}, std::move(name));
}

ValueId Graph::gather(std::string name, ValueId data, ValueId indices) {
  return append("Gather", {}, {data, indices}, std::move(name));
}

ValueId Graph::declare(Value value) {
  if (value.shape.size() > rank_max) refuse(text(value) + " has more than four dimensions");
  sources_.push_back(values_.size());
  values_.push_back(std::move(value));
  return values_.size() - 1;
}

void Graph::require_known(const Operator& op, const Attributes& attributes) const {
  for (const auto& [name, value] : attributes.all()) {
    if (std::ranges::find(op.attribute_names, name) == op.attribute_names.end()) {
      refuse(std::string(op.name) + " has no attribute `" + name + "`");
    }
  }
}

void Graph::require_types(const Operator& op, const std::vector<ValueId>& inputs) const {
  const std::size_t count = op.input_types.size();
  if (inputs.size() < count || (inputs.size() > count && !op.is_variadic)) {
    refuse(described(op, inputs) + ": it has " + (op.is_variadic ? "at least " : "") + std::to_string(count) +
           (count == 1 ? " input" : " inputs"));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type type = op.input_types[std::min(i, count - 1)];
    if (values_[inputs[i]].type == type) continue;
    refuse(described(op, {inputs[i]}) + ": it must be " + std::string(name_of(type)));
  }
}

// Returns text for messages, such as "MatMul of `x` [rows, 3] and `w` [4]".
std::string Graph::described(const Operator& op, const std::vector<ValueId>& inputs) const {
  std::string description(op.name);
  for (const ValueId input : inputs) {
    description += (description == op.name ? " of " : " and ") + text(values_[input]);
  }
  return description;
}

void Graph::refuse(const std::string& what) const {
  throw Error(Blame::user, path_ + ": " + what);
}

}  // namespace carrack::train
