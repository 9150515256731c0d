// The operators of losses. They are more exact, or faster, than the same losses made of elementwise operators.
#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

using OfOutputs = std::span<const std::optional<ValueId>>;

Outputs infer_elementwise(const Application& application) {
  if (application.inputs[0]->shape != application.inputs[1]->shape) return Misfit{"must have the same shape"};
  return std::vector<TypedShape>{{Type::float32, application.inputs[0]->shape}};
}

// Scores are [rows, classes], and labels [rows, 1]. The loss has the shape of the labels.
Outputs infer_softmax(const Application& application) {
  const Dimensions &scores = application.inputs[0]->shape, &labels = application.inputs[1]->shape;
  if (scores.size() != 2 || labels != Dimensions{scores[0], 1}) {
    return Misfit{"needs the scores of each class on the left, and one label for each row on the right"};
  }
  return std::vector<TypedShape>{{Type::float32, labels}, {Type::float32, scores}};
}

Outputs infer_softmax_gradient(const Application& application) {
  return std::vector<TypedShape>{{Type::float32, application.inputs[1]->shape}};
}

void softmax_gradient(Backward& backward, const Node& node, OfOutputs of) {
  if (!backward.is_needed(node.inputs[0])) return;
  const ValueId gradient =
      backward.emit("SoftmaxCrossEntropyLossGradient", {}, {*of[0], node.outputs[1], node.inputs[1]}, node.inputs[0]);
  backward.add(node.inputs[0], gradient);
}

// Adds the gradient of the first input. The second one, the target, is data and needs none.
void elementwise_gradient(Backward& backward, const Node& node, OfOutputs of) {
  if (!backward.is_needed(node.inputs[0])) return;
  const std::string name = std::string(node.op->name) + "Gradient";
  const ValueId slope = backward.emit(name, node.attributes, node.inputs, node.inputs[0]);
  backward.add(node.inputs[0], backward.emit("Mul", {}, {*of[0], slope}, node.inputs[0]));
}

constexpr Type scores_and_labels[] = {Type::float32, Type::int64};
constexpr Type gradient_and_labels[] = {Type::float32, Type::float32, Type::int64};
constexpr std::string_view huber_attributes[] = {"delta"};

constexpr Operator operators[] = {
    // The first output is the loss of each row, as in ONNX with reduction "none". The second output, which the gradient
    // needs, is the logarithms of the softmax of the scores.
    {"SoftmaxCrossEntropyLoss", scores_and_labels, {}, infer_softmax, softmax_gradient},
    // Not in ONNX, like all entries below: the gradient of the scores. The inputs are the gradient of the loss, the
    // second output of SoftmaxCrossEntropyLoss, and the labels.
    {"SoftmaxCrossEntropyLossGradient", gradient_and_labels, {}, infer_softmax_gradient, nullptr},
    // For each element, the cross entropy of sigmoid(score) and a target from 0 to 1. SigmoidCrossEntropyLossGradient
    // computes its derivative with respect to the score.
    {"SigmoidCrossEntropyLoss", two_floats, {}, infer_elementwise, elementwise_gradient},
    {"SigmoidCrossEntropyLossGradient", two_floats, {}, infer_elementwise, nullptr},
    // For each prediction and its target, d^2 / 2 if |d| <= delta, else delta (|d| - delta / 2), where d is the
    // prediction minus the target. HuberLossGradient computes the derivative of this loss with respect to d.
    {"HuberLoss", two_floats, huber_attributes, infer_elementwise, elementwise_gradient},
    {"HuberLossGradient", two_floats, huber_attributes, infer_elementwise, nullptr},
};

}  // namespace

std::span<const Operator> loss_operators() {
  return operators;
}

}  // namespace carrack::train
