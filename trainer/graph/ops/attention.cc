// The operators of attention over the steps of sequences.
#include <utility>

#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

Outputs infer_attention(const Application& application) {
  const auto& inputs = application.inputs;
  const Dimensions &q = inputs[0]->shape, &k = inputs[1]->shape, &v = inputs[2]->shape;
  for (const Dimensions* shape : {&q, &k, &v}) {
    if (shape->size() != 3 || (*shape)[1].of_rows || (*shape)[2].of_rows) {
      return Misfit{"needs sequences [rows, steps, values]"};
    }
  }
  if (q[2] != k[2]) return Misfit{"`" + inputs[1]->name + "` must have as many values as the queries"};
  if (k[0] != q[0] || v[0] != q[0] || v[1] != k[1]) return Misfit{"needs a value for each key, and all of each row"};
  const auto heads = application.attributes.get<std::int64_t>("q_num_heads");
  if (heads < 1 || q[2].count % heads != 0 || v[2].count % heads != 0) {
    return Misfit{"cannot be divided among " + std::to_string(heads) + " heads"};
  }
  if (inputs.size() > 4) return Misfit{"needs at most four inputs"};
  if (inputs.size() == 4 && inputs[3]->shape != Dimensions{k[0], k[1]}) {
    return Misfit{"`" + inputs[3]->name + "` must have a value for each key"};
  }
  return std::vector<TypedShape>{{Type::float32, {q[0], q[1], v[2]}}};
}

// The outputs are the gradients of Q, K and V. The inputs are the gradient of the output, Q, K, V and optionally the
// mask.
Outputs infer_gradient(const Application& application) {
  std::vector<TypedShape> outputs;
  for (std::size_t i = 1; i <= 3; ++i) outputs.push_back({Type::float32, application.inputs[i]->shape});
  return outputs;
}

void attention_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const std::vector<ValueId> targets(node.inputs.begin(), node.inputs.begin() + 3);
  std::vector<ValueId> inputs{*of[0]};
  inputs.insert(inputs.end(), node.inputs.begin(), node.inputs.end());
  const auto gradients = backward.emit_all("AttentionGradient", node.attributes, std::move(inputs), targets);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (backward.is_needed(targets[i])) backward.add(targets[i], gradients[i]);
  }
}

constexpr Type three_floats[] = {Type::float32, Type::float32, Type::float32};
constexpr Type four_floats[] = {Type::float32, Type::float32, Type::float32, Type::float32};
constexpr std::string_view names[] = {"q_num_heads", "is_causal"};

constexpr Operator operators[] = {
    // The inputs are Q, K, V and optionally a mask. As in ONNX with inputs of three dimensions and equal numbers of
    // heads for queries and keys, with two differences: the mask is [rows, keys], where 0 hides the key from all
    // queries of the row; and the result of a query that sees no key is zeros.
    {"Attention", three_floats, names, infer_attention, attention_gradient, true},
    // Not in ONNX: the gradients of Q, K and V, from the gradient of the output, Q, K, V and the mask.
    {"AttentionGradient", four_floats, names, infer_gradient, nullptr, true},
};

}  // namespace

std::span<const Operator> attention_operators() {
  return operators;
}

}  // namespace carrack::train
