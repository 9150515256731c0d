// The operators of activation functions, element by element. Gradients are computed from the outputs or, where the
// outputs do not determine them, from the inputs.
#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

Outputs infer_as_first(const Application& application) {
  return std::vector<TypedShape>{{Type::float32, application.inputs[0]->shape}};
}

Outputs infer_gradient(const Application& application) {
  if (application.inputs[0]->shape != application.inputs[1]->shape) return Misfit{"must have the same shape"};
  return infer_as_first(application);
}

void gradient_from_output(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const std::string gradient = std::string(node.op->name) + "Gradient";
  backward.add(node.inputs[0], backward.emit(gradient, {}, {*of[0], node.outputs[0]}, node.inputs[0]));
}

void gradient_from_input(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const std::string gradient = std::string(node.op->name) + "Gradient";
  backward.add(node.inputs[0], backward.emit(gradient, {}, {*of[0], node.inputs[0]}, node.inputs[0]));
}

constexpr Operator operators[] = {
    {"Relu", one_float, {}, infer_as_first, gradient_from_output},
    {"Sigmoid", one_float, {}, infer_as_first, gradient_from_output},
    {"Tanh", one_float, {}, infer_as_first, gradient_from_output},
    {"Gelu", one_float, {}, infer_as_first, gradient_from_input},
    {"Swish", one_float, {}, infer_as_first, gradient_from_input},
    // Not in ONNX. Each computes the gradient of the input of the activation function. Its own inputs are the gradient
    // of the function's output, and that output.
    {"ReluGradient", two_floats, {}, infer_gradient, nullptr},
    {"SigmoidGradient", two_floats, {}, infer_gradient, nullptr},
    {"TanhGradient", two_floats, {}, infer_gradient, nullptr},
    // Not in ONNX. Each computes the gradient of the input of the activation function. Its own inputs are the gradient
    // of the function's output, and the function's input.
    {"GeluGradient", two_floats, {}, infer_gradient, nullptr},
    {"SwishGradient", two_floats, {}, infer_gradient, nullptr},
};

}  // namespace

std::span<const Operator> activation_operators() {
  return operators;
}

}  // namespace carrack::train
