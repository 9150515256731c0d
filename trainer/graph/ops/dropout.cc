// The operator of dropout.
#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

Outputs infer_dropout(const Application& application) {
  const Value& x = *application.inputs[0];
  if (x.shape.empty() || x.shape.front() != batch_rows) return Misfit{"needs values of each row of the batch"};
  return std::vector<TypedShape>{{Type::float32, x.shape}};
}

// A Dropout with the same attributes draws the same numbers, so it drops the gradients of the same elements.
void dropout_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  backward.add(node.inputs[0], backward.emit("Dropout", node.attributes, {*of[0]}, node.inputs[0]));
}

constexpr std::string_view dropout_attributes[] = {"ratio", "seed"};

constexpr Operator operators[] = {
    // In ONNX the mask is a second output; here the gradient draws the same mask again. `ratio` is an attribute, as it
    // was in ONNX before opset 12. The attribute `seed`, which has 32 bits, the job's seed, the step and the row
    // determine which elements of the row become 0.
    {"Dropout", one_float, dropout_attributes, infer_dropout, dropout_gradient},
};

}  // namespace

std::span<const Operator> dropout_operators() {
  return operators;
}

}  // namespace carrack::train
