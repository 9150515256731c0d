// The operators of normalization along the last axis, and over the rows of a batch.
#include <optional>
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

std::optional<Misfit> misfit_of_batch(const Dimensions& shape) {
  if (shape.size() < 2 || !shape.front().of_rows || shape.back().of_rows) {
    return Misfit{"needs rows of the batch, and a last axis that is not theirs"};
  }
  return std::nullopt;
}

Outputs infer_batch_normalization(const Application& application) {
  const Dimensions& shape = application.inputs[0]->shape;
  if (const auto misfit = misfit_of_batch(shape)) return *misfit;
  const Dimensions columns{shape.back()};
  if (application.inputs[1]->shape != columns || application.inputs[2]->shape != columns) {
    return Misfit{"needs a mean and a variance for each column, " + text(columns)};
  }
  return std::vector<TypedShape>{{Type::float32, shape}, {Type::float32, columns}, {Type::float32, columns}};
}

Outputs infer_batch_normalization_gradient(const Application& application) {
  const Dimensions& shape = application.inputs[1]->shape;
  if (const auto misfit = misfit_of_batch(shape)) return *misfit;
  if (application.inputs[0]->shape != shape) return Misfit{"must have the same shape"};
  return std::vector<TypedShape>{{Type::float32, shape}};
}

// Adds outputs 1 and 2 as the gradients of inputs 1 and 2; the entry BatchNormalization below says why.
void batch_normalization_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  for (const std::size_t i : {1u, 2u}) {
    if (backward.is_needed(node.inputs[i])) backward.add(node.inputs[i], node.outputs[i]);
  }
  const ValueId x = node.inputs[0];
  if (!backward.is_needed(x)) return;
  backward.add(x, backward.emit("BatchNormalizationGradient", node.attributes, {*of[0], x}, x));
}

constexpr Type three_floats[] = {Type::float32, Type::float32, Type::float32};
constexpr std::string_view epsilon_attributes[] = {"epsilon"};

constexpr Operator operators[] = {
    // Normalizes along the last axis. ONNX's inputs Scale and B do not exist here: models use a Mul and an Add. The
    // outputs are ONNX's Y and InvStdDev. Nodes of the model may read only Y; the gradient needs both.
    {"LayerNormalization", one_float, epsilon_attributes, infer_layer_normalization, layer_normalization_gradient},
    // Not in ONNX: the gradient of X. The inputs are the gradient of Y, and both outputs of LayerNormalization.
    {"LayerNormalizationGradient", three_floats, {}, infer_as_first, nullptr},
    // Normalizes each column of the last axis, as ONNX does with training_mode, but over the rows of each lane (a share
    // of the batch, lanes.h), not of the whole batch. ONNX's inputs scale and B do not exist here: models use a Mul and
    // an Add. The inputs are X, input_mean and input_var. The first output is Y, the only one that nodes of the model
    // may read.
    //
    // The inputs input_mean and input_var are moving averages: each update moves them towards the mean and variance of
    // the batch, and they have no influence on Y. The other two outputs serve this update: they are the means and the
    // variances of the lanes, each times the lane's number of records, added up. The update reads these sums as the
    // gradients of input_mean and input_var.
    {"BatchNormalization", three_floats, epsilon_attributes, infer_batch_normalization, batch_normalization_gradient},
    // Not in ONNX: the gradient of X. The inputs are the gradient of Y, and X.
    {"BatchNormalizationGradient", two_floats, epsilon_attributes, infer_batch_normalization_gradient, nullptr},
};

}  // namespace

std::span<const Operator> normalization_operators() {
  return operators;
}

}  // namespace carrack::train
