// The operators of convolutions of images.
#include <algorithm>
#include <utility>

#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"
#include "trainer/graph/ops/windows.h"

namespace carrack::train {
namespace {

Outputs infer_convolution(const Application& application) {
  const Dimensions &x = application.inputs[0]->shape, &weights = application.inputs[1]->shape;
  if (weights.size() != 4 || std::ranges::any_of(weights, &Dimension::of_rows)) {
    return Misfit{"needs weights [height, width, channels of a group, filters]"};
  }
  const auto found = windows_over(x, weights[0].count, weights[1].count, application.attributes);
  if (const auto* misfit = std::get_if<Misfit>(&found)) return *misfit;
  const auto groups = application.attributes.get_or<std::int64_t>("group", 1);
  if (groups < 1 || x[3].count != groups * weights[2].count || weights[3].count % groups != 0) {
    return Misfit{"has channels or filters that do not fit " + std::to_string(groups) + " groups"};
  }
  const auto& windows = std::get<Windows>(found);
  return std::vector<TypedShape>{{Type::float32, {x[0], windows.height.output, windows.width.output, weights[3]}}};
}

Outputs infer_gradient(const Application& application) {
  return std::vector<TypedShape>{{Type::float32, application.attributes.get<Dimensions>("shape")}};
}

// The gradient of each input is computed from the gradient of the output and the other input.
void convolution_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const auto add = [&](std::string_view op, ValueId target, ValueId factor) {
    if (!backward.is_needed(target)) return;
    std::map<std::string, Attribute, std::less<>> all = node.attributes.all();
    all.emplace("shape", backward.graph().value(target).shape);
    backward.add(target, backward.emit(op, Attributes(std::move(all)), {*of[0], factor}, target));
  };
  add("ConvInputGradient", node.inputs[0], node.inputs[1]);
  add("ConvWeightGradient", node.inputs[1], node.inputs[0]);
}

constexpr std::string_view names[] = {"strides", "dilations", "pads", "group"};
constexpr std::string_view gradient_names[] = {"strides", "dilations", "pads", "group", "shape"};

constexpr Operator operators[] = {
    // X is [rows, height, width, channels], and W [height, width, channels / group, filters], as in TensorFlow. ONNX
    // has channels before the height.
    {"Conv", two_floats, names, infer_convolution, convolution_gradient},
    // Not in ONNX: the two gradients of a Conv. ConvInputGradient computes the gradient of X from the gradient of the
    // output and W. ConvWeightGradient computes the gradient of W from the gradient of the output and X. `shape` is the
    // shape of the result.
    {"ConvInputGradient", two_floats, gradient_names, infer_gradient, nullptr},
    {"ConvWeightGradient", two_floats, gradient_names, infer_gradient, nullptr},
};

}  // namespace

std::span<const Operator> convolution_operators() {
  return operators;
}

}  // namespace carrack::train
