// The operators of elementwise arithmetic, with broadcasting as in numpy.
#include <algorithm>
#include <utility>

#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

using OfOutputs = std::span<const std::optional<ValueId>>;

// Returns the shape to which both shapes are broadcast, as in numpy; nullopt if they do not fit.
std::optional<Dimensions> broadcast(const Dimensions& a, const Dimensions& b) {
  const Dimensions& longer = a.size() >= b.size() ? a : b;
  const Dimensions& shorter = a.size() >= b.size() ? b : a;
  Dimensions result = longer;
  const std::size_t ahead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    Dimension& dimension = result[ahead + i];
    if (dimension == 1) dimension = shorter[i];
    if (dimension != shorter[i] && shorter[i] != 1) return std::nullopt;
  }
  return result;
}

Outputs infer_broadcast(const Application& application) {
  std::optional<Dimensions> shape = broadcast(application.inputs[0]->shape, application.inputs[1]->shape);
  if (!shape) return Misfit{"from the last on, dimensions must be the same, or one of them 1"};
  return std::vector<TypedShape>{{Type::float32, *std::move(shape)}};
}

Outputs infer_same(const Application& application) {
  return std::vector<TypedShape>{{Type::float32, application.inputs[0]->shape}};
}

Outputs infer_scalar(const Application&) {
  return std::vector<TypedShape>{{}};
}

// Infers an Expand, which inserts dimensions of 1 at `axes`, one after the other, and then repeats the input to
// `shape`.
Outputs infer_expanded(const Application& application) {
  Dimensions from = application.inputs[0]->shape;
  const auto axes = application.attributes.get_or<std::vector<std::int64_t>>("axes", {});
  for (const std::int64_t axis : axes) {
    if (axis < 0 || axis > std::ssize(from)) return Misfit{"there is no place for the axis " + std::to_string(axis)};
    from.insert(from.begin() + axis, 1);
  }
  const auto& shape = application.attributes.get<Dimensions>("shape");
  if (broadcast(from, shape) != shape) return Misfit{"cannot be repeated to " + text(shape)};
  return std::vector<TypedShape>{{Type::float32, shape}};
}

void add_gradient(Backward& backward, const Node& node, OfOutputs of) {
  for (const ValueId input : node.inputs) {
    if (backward.is_needed(input)) backward.add_summed(input, *of[0]);
  }
}

void sub_gradient(Backward& backward, const Node& node, OfOutputs of) {
  const ValueId a = node.inputs[0], b = node.inputs[1];
  if (backward.is_needed(a)) backward.add_summed(a, *of[0]);
  if (backward.is_needed(b)) backward.add_summed(b, backward.emit("Neg", {}, {*of[0]}, node.outputs[0]));
}

void mul_gradient(Backward& backward, const Node& node, OfOutputs of) {
  const ValueId a = node.inputs[0], b = node.inputs[1];
  if (backward.is_needed(a)) backward.add_summed(a, backward.emit("Mul", {}, {*of[0], b}, node.outputs[0]));
  if (backward.is_needed(b)) backward.add_summed(b, backward.emit("Mul", {}, {*of[0], a}, node.outputs[0]));
}

void div_gradient(Backward& backward, const Node& node, OfOutputs of) {
  const ValueId a = node.inputs[0], b = node.inputs[1], quotient = node.outputs[0];
  const ValueId of_a = backward.emit("Div", {}, {*of[0], b}, quotient);
  if (backward.is_needed(a)) backward.add_summed(a, of_a);
  if (!backward.is_needed(b)) return;
  const ValueId product = backward.emit("Mul", {}, {of_a, quotient}, quotient);
  backward.add_summed(b, backward.emit("Neg", {}, {product}, quotient));
}

void neg_gradient(Backward& backward, const Node& node, OfOutputs of) {
  backward.add(node.inputs[0], backward.emit("Neg", {}, {*of[0]}, node.inputs[0]));
}

void abs_gradient(Backward& backward, const Node& node, OfOutputs of) {
  const ValueId sign = backward.emit("Sign", {}, {node.inputs[0]}, node.inputs[0]);
  backward.add(node.inputs[0], backward.emit("Mul", {}, {*of[0], sign}, node.inputs[0]));
}

void sqrt_gradient(Backward& backward, const Node& node, OfOutputs of) {
  const ValueId root = node.outputs[0], twice = backward.emit("Add", {}, {root, root}, root);
  backward.add(node.inputs[0], backward.emit("Div", {}, {*of[0], twice}, node.inputs[0]));
}

void identity_gradient(Backward& backward, const Node& node, OfOutputs of) {
  backward.add(node.inputs[0], *of[0]);
}

// Sums over the inserted axes, then over the repeated ones.
void expand_gradient(Backward& backward, const Node& node, OfOutputs of) {
  ValueId gradient = *of[0];
  const auto axes = node.attributes.get_or<std::vector<std::int64_t>>("axes", {});
  if (!axes.empty()) {
    gradient = backward.emit("ReduceSum", {{"axes", axes}, {"keepdims", std::int64_t{0}}}, {gradient}, node.inputs[0]);
  }
  backward.add_summed(node.inputs[0], gradient);
}

constexpr std::string_view constant_attributes[] = {"value"};
constexpr std::string_view expand_attributes[] = {"axes", "shape"};

constexpr Operator operators[] = {
    {"Add", two_floats, {}, infer_broadcast, add_gradient},
    {"Sub", two_floats, {}, infer_broadcast, sub_gradient},
    {"Mul", two_floats, {}, infer_broadcast, mul_gradient},
    {"Div", two_floats, {}, infer_broadcast, div_gradient},
    {"Neg", one_float, {}, infer_same, neg_gradient},
    {"Abs", one_float, {}, infer_same, abs_gradient},
    {"Sign", one_float, {}, infer_same, nullptr},
    {"Sqrt", one_float, {}, infer_same, sqrt_gradient},
    {"Identity", one_float, {}, infer_same, identity_gradient, false, false, true},
    // The output is a scalar. ONNX calls the attribute value_float.
    {"Constant", {}, constant_attributes, infer_scalar, nullptr},
    // Here `shape` is an attribute, because it may depend on the number of rows; in ONNX it is an input. ONNX has no
    // attribute `axes`: a model there needs an Unsqueeze node before the Expand.
    {"Expand", one_float, expand_attributes, infer_expanded, expand_gradient},
};

}  // namespace

std::span<const Operator> arithmetic_operators() {
  return operators;
}

}  // namespace carrack::train
