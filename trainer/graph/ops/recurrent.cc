// The operators of recurrent layers over whole sequences. Rows are the outermost dimension, as with ONNX's `layout` 1.
// Weights are stored as right operands of products; their columns are all units of the first gate, then all units of
// the second one, and so on. There is one direction, and the initial state is zero. ONNX's lengths of sequences,
// peepholes and clips do not exist here.
#include <utility>

#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

using OfOutputs = std::span<const std::optional<ValueId>>;

constexpr std::int64_t lstm_gates = 4, gru_gates = 3;

// The sizes of a layer with X [rows, steps, inputs], W [inputs, gates * units] and R [units, gates * units].
struct Layer {
  Dimension rows;
  std::int64_t steps, inputs, units;

  Dimensions sequence(std::int64_t width) const { return {rows, steps, width}; }
};

std::optional<Layer> layer_of(const Dimensions& x, const Dimensions& w, const Dimensions& r, std::int64_t gates) {
  if (x.size() != 3 || x[1].of_rows || x[2].of_rows || r.size() != 2 || r[0].of_rows) return std::nullopt;
  const std::int64_t width = gates * r[0].count;
  if (r[1] != width || w != Dimensions{x[2], width}) return std::nullopt;
  return Layer{x[0], x[1].count, x[2].count, r[0].count};
}

// Infers the outputs of an LSTM or a GRU: Y, its gates, and a third output with the shape of Y. The inputs are X, W, R
// and one or more biases.
Outputs infer_layer(const Application& application, std::int64_t gates) {
  const auto& inputs = application.inputs;
  const std::string columns = std::to_string(gates) + " units";
  const auto layer = layer_of(inputs[0]->shape, inputs[1]->shape, inputs[2]->shape, gates);
  if (!layer) {
    return Misfit{"needs X [rows, steps, inputs], W [inputs, " + columns + "] and R [units, " + columns + "]"};
  }
  for (std::size_t i = 3; i < inputs.size(); ++i) {
    if (inputs[i]->shape != Dimensions{gates * layer->units}) {
      return Misfit{"`" + inputs[i]->name + "` must have " + std::to_string(gates * layer->units) + " elements"};
    }
  }
  const Dimensions y = layer->sequence(layer->units);
  const TypedShape activated{Type::float32, layer->sequence(gates * layer->units)};
  return std::vector<TypedShape>{{Type::float32, y}, activated, {Type::float32, y}};
}

Outputs infer_lstm(const Application& application) {
  return infer_layer(application, lstm_gates);
}

Outputs infer_gru(const Application& application) {
  return infer_layer(application, gru_gates);
}

// The output is the gradient of the gates' sums before the activation functions. It has the shape of the gates, which
// are input 1.
Outputs infer_lstm_gradient(const Application& application) {
  return std::vector<TypedShape>{{Type::float32, application.inputs[1]->shape}};
}

Outputs infer_gru_gradient(const Application& application) {
  const TypedShape sums{Type::float32, application.inputs[1]->shape};
  return std::vector<TypedShape>{sums, sums};
}

Outputs infer_step_inputs(const Application& application) {
  Dimensions shape = application.inputs[0]->shape;
  if (shape.size() != 3 || shape[2].of_rows) return Misfit{"needs a sequence [rows, steps, units]"};
  std::int64_t width = 1 + shape[2].count;
  if (application.inputs.size() > 1) {
    const Dimensions& x = application.inputs[1]->shape;
    if (application.inputs.size() > 2 || x.size() != 3 || x[0] != shape[0] || x[1] != shape[1] || x[2].of_rows) {
      return Misfit{"needs at most one other sequence, of as many steps"};
    }
    width += x[2].count;
  }
  shape[2] = width;
  return std::vector<TypedShape>{{Type::float32, std::move(shape)}};
}

// Appends the gradients of the inputs of one LSTM or GRU node.
class LayerGradient {
 public:
  LayerGradient(Backward& backward, const Node& node, std::int64_t gates)
      : backward_(backward),
        layer_(layer_of(shape(node.inputs[0]), shape(node.inputs[1]), shape(node.inputs[2]), gates).value()) {}

  // Returns the sequence [rows, steps, width] as a matrix [rows * steps, width].
  ValueId as_matrix(ValueId sequence) const {
    const Dimensions from = shape(sequence);
    return reshape(sequence, {{from[0].count * from[1].count, from[0].of_rows}, from[2]}, sequence);
  }

  // In these functions `of_sums` is the gradient of the gates' sums, which x W and the bias are terms of. It is a
  // matrix [rows * steps, gates * units].
  void add_x(ValueId x, ValueId w, ValueId of_sums) const {
    if (!backward_.is_needed(x)) return;
    backward_.add(x, reshape(product(of_sums, w, "transB", x), layer_.sequence(layer_.inputs), x));
  }
  void add_w(ValueId w, ValueId x, ValueId of_sums) const {
    if (backward_.is_needed(w)) backward_.add(w, product(as_matrix(x), of_sums, "transA", w));
  }
  void add_bias(ValueId bias, ValueId of_sums) const {
    if (backward_.is_needed(bias)) backward_.add_summed(bias, of_sums);
  }
  // Returns the product of the transpose of StepInputs(sequences) and `of_sums`. The rows of the product are the
  // gradients of the bias, of W if `sequences` has X, and of R, in this order. So one product computes all of them.
  ValueId product_with_steps(std::vector<ValueId> sequences, ValueId of_sums, ValueId target) const {
    return product(as_matrix(backward_.emit("StepInputs", {}, std::move(sequences), target)), of_sums, "transA",
                   target);
  }
  // Adds the rows [begin, end) of a product_with_steps() to the gradient of `weights`.
  void add_rows(ValueId weights, ValueId product, std::int64_t begin, std::int64_t end) const {
    if (!backward_.is_needed(weights)) return;
    const Attributes part{{"axis", std::int64_t{0}}, {"start", begin}, {"end", end}};
    const ValueId rows = backward_.emit("Slice", part, {product}, weights);
    backward_.add(weights, reshape(rows, shape(weights), weights));
  }
  const Layer& layer() const { return layer_; }

 private:
  // Returns a copy, because a reference into the graph becomes invalid when a node is appended.
  Dimensions shape(ValueId value) const { return backward_.graph().value(value).shape; }
  ValueId reshape(ValueId value, Dimensions to, ValueId target) const {
    if (shape(value) == to) return value;
    return backward_.emit("Reshape", {{"shape", std::move(to)}}, {value}, target);
  }
  ValueId product(ValueId a, ValueId b, const char* transposed, ValueId target) const {
    return backward_.emit("Gemm", {{transposed, std::int64_t{1}}}, {a, b}, target);
  }

  Backward& backward_;
  Layer layer_;
};

void lstm_gradient(Backward& backward, const Node& node, OfOutputs of) {
  const ValueId x = node.inputs[0], w = node.inputs[1], r = node.inputs[2], bias = node.inputs[3];
  const ValueId y = node.outputs[0], gates = node.outputs[1], cells = node.outputs[2];
  const LayerGradient gradient(backward, node, lstm_gates);
  const ValueId of_sums = gradient.as_matrix(backward.emit("LSTMGradient", {}, {*of[0], gates, cells, r}, gates));
  gradient.add_x(x, w, of_sums);
  if (!backward.is_needed(w) && !backward.is_needed(r) && !backward.is_needed(bias)) return;
  const ValueId product = gradient.product_with_steps({y, x}, of_sums, r);
  const std::int64_t inputs = gradient.layer().inputs, units = gradient.layer().units;
  gradient.add_rows(bias, product, 0, 1);
  gradient.add_rows(w, product, 1, 1 + inputs);
  gradient.add_rows(r, product, 1 + inputs, 1 + inputs + units);
}

void gru_gradient(Backward& backward, const Node& node, OfOutputs of) {
  const ValueId x = node.inputs[0], w = node.inputs[1], r = node.inputs[2];
  const ValueId bias = node.inputs[3], state_bias = node.inputs[4];
  const ValueId y = node.outputs[0], gates = node.outputs[1], of_state = node.outputs[2];
  const LayerGradient gradient(backward, node, gru_gates);
  const auto of_both = backward.emit_all("GRUGradient", {}, {*of[0], gates, of_state, y, r}, {gates, gates});
  const ValueId of_sums = gradient.as_matrix(of_both[0]);
  gradient.add_x(x, w, of_sums);
  gradient.add_w(w, x, of_sums);
  gradient.add_bias(bias, of_sums);
  if (!backward.is_needed(r) && !backward.is_needed(state_bias)) return;
  const ValueId product = gradient.product_with_steps({y}, gradient.as_matrix(of_both[1]), r);
  gradient.add_rows(state_bias, product, 0, 1);
  gradient.add_rows(r, product, 1, 1 + gradient.layer().units);
}

constexpr Type four_floats[] = {Type::float32, Type::float32, Type::float32, Type::float32};
constexpr Type five_floats[] = {Type::float32, Type::float32, Type::float32, Type::float32, Type::float32};

constexpr Operator operators[] = {
    // The inputs are X, W, R and B. The order of the gates is i, f, g, o, as in Keras and PyTorch. ONNX differs: it has
    // the order i, o, f, c, where c is our g, transposed weights, and two biases, which it adds up. The first output is
    // Y. The gradient needs the others: the gates after their activation functions, and the cells.
    {"LSTM", four_floats, {}, infer_lstm, lstm_gradient},
    // The inputs are X, W, R, the bias B of the input, and the bias C of the state. As in ONNX with linear_before_reset
    // 1, n = tanh(x W + B + r (h R + C)). But ONNX has transposed weights, and both biases in one input. The order of
    // the gates is z, r, n, as in Keras (reset_after=True) and ONNX; PyTorch has r, z, n. The first output is Y. The
    // gradient needs the others: the gates, and h R + C of the gate n.
    {"GRU", five_floats, {}, infer_gru, gru_gradient},
    // Not in ONNX, like all entries below: the gradient of the gates' sums in an LSTM. The inputs are the gradient of
    // Y, the gates, the cells and R.
    {"LSTMGradient", four_floats, {}, infer_lstm_gradient, nullptr},
    // The gradients of x W + B and of h R + C in a GRU. The inputs are the gradient of Y, the gates, h R + C of the
    // gate n, Y and R.
    {"GRUGradient", five_floats, {}, infer_gru_gradient, nullptr},
    // The inputs are Y and optionally X. For each step the output has 1, then x, then y of the previous step (zeros for
    // the first step). These are the factors of the bias, W and R, so one product computes the gradients of all three.
    {"StepInputs", one_float, {}, infer_step_inputs, nullptr, true},
};

}  // namespace

std::span<const Operator> recurrent_operators() {
  return operators;
}

}  // namespace carrack::train
