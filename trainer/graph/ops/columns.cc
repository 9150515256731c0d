// Operators along one axis: joining tensors, cutting out a part, padding and reversing.
#include <utility>

#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

// Returns the attribute `axis` as an index; nullopt if the input has no such axis. Also nullopt if the size of the axis
// depends on the number of rows of the batch, because these operators need a size that is known in advance.
std::optional<std::size_t> axis_of(const Application& application) {
  const Dimensions& shape = application.inputs[0]->shape;
  const auto axis = application.attributes.get<std::int64_t>("axis");
  if (axis < 0 || axis >= std::ssize(shape) || shape[static_cast<std::size_t>(axis)].of_rows) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

Outputs infer_concat(const Application& application) {
  Dimensions joined = application.inputs[0]->shape;
  const auto axis = axis_of(application);
  if (!axis) return Misfit{"there is no such axis, or it is that of the rows"};
  for (std::size_t i = 1; i < application.inputs.size(); ++i) {
    Dimensions next = application.inputs[i]->shape;
    if (next.size() != joined.size()) return Misfit{"must have as many dimensions"};
    const std::int64_t together = joined[*axis].count + next[*axis].count;
    joined[*axis] = next[*axis];
    if (joined != next) return Misfit{"dimensions other than the axis must be the same"};
    joined[*axis] = together;
  }
  return std::vector<TypedShape>{{Type::float32, std::move(joined)}};
}

Outputs infer_slice(const Application& application) {
  Dimensions part = application.inputs[0]->shape;
  const auto axis = axis_of(application);
  if (!axis) return Misfit{"there is no such axis, or it is that of the rows"};
  const auto start = application.attributes.get<std::int64_t>("start");
  const auto end = application.attributes.get<std::int64_t>("end");
  if (start < 0 || start >= end || end > part[*axis].count) return Misfit{"there is no such part of the axis"};
  part[*axis] = end - start;
  return std::vector<TypedShape>{{Type::float32, std::move(part)}};
}

// The gradient of each input is the slice of the output's gradient that covers the input's elements.
void concat_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const auto axis = node.attributes.get<std::int64_t>("axis");
  std::int64_t start = 0;
  for (const ValueId input : node.inputs) {
    const std::int64_t end = start + backward.graph().value(input).shape[static_cast<std::size_t>(axis)].count;
    if (backward.is_needed(input)) {
      backward.add(input, backward.emit("Slice", {{"axis", axis}, {"start", start}, {"end", end}}, {*of[0]}, input));
    }
    start = end;
  }
}

Outputs infer_pad(const Application& application) {
  Dimensions whole = application.inputs[0]->shape;
  const auto axis = axis_of(application);
  if (!axis) return Misfit{"there is no such axis, or it is that of the rows"};
  const auto before = application.attributes.get<std::int64_t>("before");
  const auto after = application.attributes.get<std::int64_t>("after");
  if (before < 0 || after < 0) return Misfit{"the numbers of zeros cannot be negative"};
  whole[*axis].count += before + after;
  return std::vector<TypedShape>{{Type::float32, std::move(whole)}};
}

// Pads the gradient with zeros, because the elements outside of the slice have no influence on the loss.
void slice_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const ValueId input = node.inputs[0];
  const auto axis = node.attributes.get<std::int64_t>("axis");
  const std::int64_t length = backward.graph().value(input).shape[static_cast<std::size_t>(axis)].count;
  const auto before = node.attributes.get<std::int64_t>("start");
  const std::int64_t after = length - node.attributes.get<std::int64_t>("end");
  backward.add(input, backward.emit("Pad", {{"axis", axis}, {"before", before}, {"after", after}}, {*of[0]}, input));
}

Outputs infer_reverse(const Application& application) {
  if (!axis_of(application)) return Misfit{"there is no such axis, or it is that of the rows"};
  return std::vector<TypedShape>{{Type::float32, application.inputs[0]->shape}};
}

void reverse_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const ValueId input = node.inputs[0];
  backward.add(input, backward.emit("Reverse", node.attributes, {*of[0]}, input));
}

constexpr std::string_view concat_attributes[] = {"axis"};
constexpr std::string_view slice_attributes[] = {"axis", "start", "end"};
constexpr std::string_view pad_attributes[] = {"axis", "before", "after"};
constexpr std::string_view reverse_attributes[] = {"axis"};

constexpr Operator operators[] = {
    // Joins all inputs along one axis.
    {"Concat", one_float, concat_attributes, infer_concat, concat_gradient, true},
    // Returns the elements [start, end) of one axis. `start` and `end` are attributes, as in ONNX before opset 10. In
    // ONNX they are lists for several axes; here they are single numbers for the only axis.
    {"Slice", one_float, slice_attributes, infer_slice, slice_gradient, false, false, true},
    // Adds `before` zeros before the elements of one axis, and `after` zeros after them. ONNX has a list of numbers for
    // all axes instead.
    {"Pad", one_float, pad_attributes, infer_pad, nullptr},
    // Reverses one axis, which ONNX does by a Slice with a step of -1.
    {"Reverse", one_float, reverse_attributes, infer_reverse, reverse_gradient, false, false, true},
};

}  // namespace

std::span<const Operator> column_operators() {
  return operators;
}

}  // namespace carrack::train
