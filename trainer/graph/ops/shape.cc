// The operator that gives the same elements another shape.
#include <utility>

#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

// The number of elements of a shape: `elements` times the number of rows to the power of `factors_of_rows`.
struct Count {
  std::int64_t elements = 1;
  int factors_of_rows = 0;
  bool operator==(const Count&) const = default;
};

Count count_of(const Dimensions& shape) {
  Count count;
  for (const Dimension& dimension : shape) {
    count.elements *= dimension.count;
    count.factors_of_rows += dimension.of_rows ? 1 : 0;
  }
  return count;
}

Outputs infer_reshape(const Application& application) {
  const Value& from = *application.inputs[0];
  const auto& shape = application.attributes.get<Dimensions>("shape");
  if (count_of(from.shape) != count_of(shape)) {
    return Misfit{"there is no place for its elements in " + text(shape) + ", which has more or fewer"};
  }
  return std::vector<TypedShape>{{from.type, shape}};
}

void reshape_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const Dimensions shape = backward.graph().value(node.inputs[0]).shape;
  backward.add(node.inputs[0], backward.emit("Reshape", {{"shape", shape}}, {*of[0]}, node.inputs[0]));
}

constexpr std::string_view reshape_attributes[] = {"shape"};

constexpr Operator operators[] = {
    // `shape` is an attribute, as in ONNX before opset 5, because a dimension may depend on the number of rows of the
    // batch.
    {"Reshape", one_float, reshape_attributes, infer_reshape, reshape_gradient, false, true},
};

}  // namespace

std::span<const Operator> shape_operators() {
  return operators;
}

}  // namespace carrack::train
