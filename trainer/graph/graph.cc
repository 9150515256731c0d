#include "trainer/graph/graph.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "trainer/error.h"

namespace carrack::train {
namespace {

// The shape that both are broadcast to, as in numpy and ONNX; nullopt if they do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t ahead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dimension = result[ahead + i];
    if (dimension == 1) dimension = shorter[i];
    if (dimension != shorter[i] && shorter[i] != 1) return std::nullopt;
  }
  return result;
}

}  // namespace

ValueId Graph::input(std::string name, Type type, Shape per_record) {
  per_record.insert(per_record.begin(), batch_rows);
  inputs_.push_back(declare({std::move(name), type, std::move(per_record)}));
  return inputs_.back();
}

ValueId Graph::parameter(std::string name, Shape shape) {
  parameters_.push_back(declare({std::move(name), Type::float32, std::move(shape)}));
  return parameters_.back();
}

ValueId Graph::matmul(std::string name, ValueId a, ValueId b) {
  const Shape& left = values_[a].shape;
  const Shape& right = values_[b].shape;
  const std::string what = "MatMul of " + text(values_[a]) + " and " + text(values_[b]);
  if (left.size() != 2 || right.empty() || right.size() > 2) {
    refuse(what + ": needs two dimensions on the left, and one or two on the right");
  }
  if (left[1] != right[0]) {
    refuse(what + ": the last dimension of `" + values_[a].name + "` and the first of `" + values_[b].name +
           "` must be the same");
  }
  const std::int64_t columns = right.size() == 2 ? right[1] : 1;
  Shape result = left;
  result.pop_back();
  if (right.size() == 2) result.push_back(columns);
  const GemmShape gemm{.m = left[0], .n = columns, .k = left[1]};
  return append(op::Gemm{gemm}, {a, b}, {std::move(name), Type::float32, std::move(result)});
}

ValueId Graph::add(std::string name, ValueId a, ValueId b) {
  return elementwise(op::Add{}, std::move(name), a, b);
}

ValueId Graph::sub(std::string name, ValueId a, ValueId b) {
  return elementwise(op::Sub{}, std::move(name), a, b);
}

ValueId Graph::mul(std::string name, ValueId a, ValueId b) {
  return elementwise(op::Mul{}, std::move(name), a, b);
}

ValueId Graph::neg(std::string name, ValueId a) {
  return append(op::Neg{}, {a}, {std::move(name), Type::float32, values_[a].shape});
}

ValueId Graph::reduce_sum(std::string name, ValueId a, std::size_t axis_begin, std::size_t axis_end) {
  Shape shape = values_[a].shape;
  if (axis_begin >= axis_end || axis_end > shape.size()) {
    refuse("ReduceSum of " + text(values_[a]) + ": there are no axes " + std::to_string(axis_begin) + " to " +
           std::to_string(axis_end));
  }
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis_begin),
              shape.begin() + static_cast<std::ptrdiff_t>(axis_end));
  return append(op::ReduceSum{axis_begin, axis_end}, {a}, {std::move(name), Type::float32, std::move(shape)});
}

ValueId Graph::gather(std::string name, ValueId data, ValueId indices) {
  const Value& table = values_[data];
  const Value& which = values_[indices];
  const std::string what = "Gather of " + text(table) + " at " + text(which);
  if (table.shape.empty()) refuse(what + ": `" + table.name + "` has no rows");
  if (which.type != Type::int64) refuse(what + ": the indices must be int64");
  Shape shape = which.shape;
  shape.insert(shape.end(), table.shape.begin() + 1, table.shape.end());
  return append(op::Gather{}, {data, indices}, {std::move(name), Type::float32, std::move(shape)});
}

ValueId Graph::append(Operator op, std::vector<ValueId> inputs, Value output) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_index =
        (std::holds_alternative<op::Gather>(op) && i == 1) || (std::holds_alternative<op::ScatterAdd>(op) && i == 0);
    const Value& input = values_[inputs[i]];
    if (input.type != Type::float32 && !is_index) refuse(name_of(op) + " of " + text(input) + ": it must be float32");
  }
  const ValueId id = declare(std::move(output));
  nodes_.push_back({std::move(op), std::move(inputs), id});
  return id;
}

ValueId Graph::declare(Value tensor) {
  if (tensor.shape.size() > rank_max) refuse(text(tensor) + " has more than four dimensions");
  values_.push_back(std::move(tensor));
  return values_.size() - 1;
}

ValueId Graph::elementwise(Operator op, std::string name, ValueId a, ValueId b) {
  std::optional<Shape> shape = broadcast(values_[a].shape, values_[b].shape);
  if (!shape) {
    refuse(name_of(op) + " of " + text(values_[a]) + " and " + text(values_[b]) +
           ": from the last on, dimensions must be the same, or one of them 1");
  }
  return append(std::move(op), {a, b}, {std::move(name), Type::float32, *std::move(shape)});
}

void Graph::refuse(const std::string& what) const {
  throw Error(Blame::user, path_ + ": " + what);
}

std::string text(const Value& tensor) {
  return "`" + tensor.name + "` " + text(tensor.shape);
}

std::string text(const Shape& shape) {
  std::string dimensions;
  for (const std::int64_t dimension : shape) {
    dimensions += (dimensions.empty() ? "" : ", ") + (dimension == batch_rows ? "rows" : std::to_string(dimension));
  }
  return "[" + dimensions + "]";
}

std::string name_of(const Operator& op) {
  static constexpr std::array names{"Constant", "Gemm",      "Add",    "Sub",    "Mul",       "Neg",
                                    "Identity", "ReduceSum", "Expand", "Gather", "ScatterAdd"};
  static_assert(names.size() == std::variant_size_v<Operator>);
  return names[op.index()];
}

Shape with_rows(Shape shape, std::int64_t rows) {
  std::ranges::replace(shape, batch_rows, rows);
  return shape;
}

}  // namespace carrack::train
