// The operators of pooling of images.
#include <utility>

#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"
#include "trainer/graph/ops/windows.h"

namespace carrack::train {
namespace {

Outputs infer_pooling(const Application& application) {
  const Dimensions& x = application.inputs[0]->shape;
  const auto found = pooling_windows(x, application.attributes);
  if (const auto* misfit = std::get_if<Misfit>(&found)) return *misfit;
  const auto& windows = std::get<Windows>(found);
  return std::vector<TypedShape>{{Type::float32, {x[0], windows.height.output, windows.width.output, x[3]}}};
}

Outputs infer_max_gradient(const Application& application) {
  return std::vector<TypedShape>{{Type::float32, application.inputs[1]->shape}};
}

Outputs infer_average_gradient(const Application& application) {
  return std::vector<TypedShape>{{Type::float32, application.attributes.get<Dimensions>("shape")}};
}

void max_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const ValueId x = node.inputs[0];
  backward.add(x, backward.emit("MaxPoolGradient", node.attributes, {*of[0], x}, x));
}

void average_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const ValueId x = node.inputs[0];
  std::map<std::string, Attribute, std::less<>> all = node.attributes.all();
  all.emplace("shape", backward.graph().value(x).shape);
  backward.add(x, backward.emit("AveragePoolGradient", Attributes(std::move(all)), {*of[0]}, x));
}

constexpr std::string_view names[] = {"kernel_shape", "strides", "pads"};
constexpr std::string_view average_gradient_names[] = {"kernel_shape", "strides", "pads", "shape"};

constexpr Operator operators[] = {
    // X is [rows, height, width, channels]; ONNX has channels before the height. Padding is ignored: a mean is only
    // over pixels of the image.
    {"MaxPool", one_float, names, infer_pooling, max_gradient},
    {"AveragePool", one_float, names, infer_pooling, average_gradient},
    // Not in ONNX: the gradients of X. The first input is the gradient of the output. MaxPoolGradient has X as its
    // second input, and AveragePoolGradient has the shape of X as the attribute `shape`.
    {"MaxPoolGradient", two_floats, names, infer_max_gradient, nullptr},
    {"AveragePoolGradient", one_float, average_gradient_names, infer_average_gradient, nullptr},
};

}  // namespace

std::span<const Operator> pooling_operators() {
  return operators;
}

}  // namespace carrack::train
