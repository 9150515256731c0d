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

void activation_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const std::string gradient = std::string(node.op->name) + "Gradient";
  backward.add(node.inputs[0], backward.emit(gradient, {}, {*of[0], node.outputs[0]}, node.inputs[0]));
}

void gradient_of_input(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const std::string gradient = std::string(node.op->name) + "Gradient";
  backward.add(node.inputs[0], backward.emit(gradient, {}, {*of[0], node.inputs[0]}, node.inputs[0]));
}

constexpr Operator operators[] = {
    {"Relu", one_float, {}, infer_as_first, activation_gradient},
    {"Sigmoid", one_float, {}, infer_as_first, activation_gradient},
    {"Tanh", one_float, {}, infer_as_first, activation_gradient},
    {"Gelu", one_float, {}, infer_as_first, gradient_of_input},
    {"Swish", one_float, {}, infer_as_first, gradient_of_input},
    // Not in ONNX: the gradient of the function's input. The inputs are the gradient of its output, and the output
    // itself.
    {"ReluGradient", two_floats, {}, infer_gradient, nullptr},
    {"SigmoidGradient", two_floats, {}, infer_gradient, nullptr},
    {"TanhGradient", two_floats, {}, infer_gradient, nullptr},
    // Not in ONNX: the gradient of the function's input. The inputs are the gradient of its output, and the input
    // itself.
    {"GeluGradient", two_floats, {}, infer_gradient, nullptr},
    {"SwishGradient", two_floats, {}, infer_gradient, nullptr},
};

}  // namespace

std::span<const Operator> activation_operators() {
  return operators;
}

}  // namespace carrack::train
