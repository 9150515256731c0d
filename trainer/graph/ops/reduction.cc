// The operator of sums over axes.
#include <algorithm>
#include <utility>

#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

Outputs infer_reduce_sum(const Application& application) {
  Dimensions shape = application.inputs[0]->shape;
  const auto& axes = application.attributes.get<std::vector<std::int64_t>>("axes");
  if (axes.empty()) return Misfit{"needs an axis"};
  if (axes.front() < 0 || axes.back() >= std::ssize(shape)) {
    return Misfit{"there are no axes " + std::to_string(axes.front()) + " to " + std::to_string(axes.back() + 1)};
  }
  const auto apart = [](std::int64_t axis, std::int64_t next) { return next != axis + 1; };
  if (std::ranges::adjacent_find(axes, apart) != axes.end()) return Misfit{"the axes must follow one another"};
  if (application.attributes.get_or<std::int64_t>("keepdims", 1) != 0) {
    for (const std::int64_t axis : axes) shape[static_cast<std::size_t>(axis)] = 1;
  } else {
    shape.erase(shape.begin() + axes.front(), shape.begin() + axes.back() + 1);
  }
  return std::vector<TypedShape>{{Type::float32, std::move(shape)}};
}

void reduce_sum_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const Dimensions shape = backward.graph().value(node.inputs[0]).shape;
  Attributes attributes{{"shape", shape}};
  if (node.attributes.get_or<std::int64_t>("keepdims", 1) == 0) {
    attributes = {{"shape", shape}, {"axes", node.attributes.get<std::vector<std::int64_t>>("axes")}};
  }
  backward.add(node.inputs[0], backward.emit("Expand", std::move(attributes), {*of[0]}, node.inputs[0]));
}

constexpr std::string_view reduce_sum_attributes[] = {"axes", "keepdims"};

constexpr Operator operators[] = {
    // `axes` is an attribute, as before ONNX's opset 13. The axes must be consecutive, in ascending order.
    {"ReduceSum", one_float, reduce_sum_attributes, infer_reduce_sum, reduce_sum_gradient},
};

}  // namespace

std::span<const Operator> reduction_operators() {
  return operators;
}

}  // namespace carrack::train
