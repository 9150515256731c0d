// Normalization along the last axis.
#include <utility>

#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

Outputs infer_layer_normalization(const Application& application) {
  const Dimensions& shape = application.inputs[0]->shape;
  if (shape.empty() || shape.back().of_rows) return Misfit{"needs a last axis that is not that of the rows"};
  Dimensions of_rows = shape;
  of_rows.back() = 1;
  return std::vector<TypedShape>{{Type::float32, shape}, {Type::float32, std::move(of_rows)}};
}

Outputs infer_as_first(const Application& application) {
  return std::vector<TypedShape>{{Type::float32, application.inputs[0]->shape}};
}

void layer_normalization_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const ValueId gradient =
      backward.emit("LayerNormalizationGradient", {}, {*of[0], node.outputs[0], node.outputs[1]}, node.inputs[0]);
  backward.add(node.inputs[0], gradient);
}

constexpr Type three_floats[] = {Type::float32, Type::float32, Type::float32};
constexpr std::string_view layer_normalization_attributes[] = {"epsilon"};

constexpr Operator operators[] = {
    // Along the last axis. Without Scale and B, which are a Mul and an Add; the outputs are ONNX's Y and InvStdDev, and
    // only the first may be read by others.
    {"LayerNormalization", one_float, layer_normalization_attributes, infer_layer_normalization,
     layer_normalization_gradient},
    // Not ONNX's: the gradient of X, from that of Y, and both outputs.
    {"LayerNormalizationGradient", three_floats, {}, infer_as_first, nullptr},
};

}  // namespace

std::span<const Operator> normalization_operators() {
  return operators;
}

}  // namespace carrack::train
