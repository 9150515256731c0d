// The operators that read rows of tables, and add to them.
#include <utility>

#include "trainer/graph/backward.h"
#include "trainer/graph/operator.h"

namespace carrack::train {
namespace {

Outputs infer_gather(const Application& application) {
  const Value &table = *application.inputs[0], &indices = *application.inputs[1];
  if (table.shape.empty()) return Misfit{"`" + table.name + "` has no rows"};
  Dimensions shape = indices.shape;
  shape.insert(shape.end(), table.shape.begin() + 1, table.shape.end());
  return std::vector<TypedShape>{{Type::float32, std::move(shape)}};
}

void gather_gradient(Backward& backward, const Node& node, std::span<const std::optional<ValueId>> of) {
  const ValueId table = node.inputs[0];
  if (!backward.is_needed(table)) return;
  Attributes shape{{"shape", backward.graph().value(table).shape}};
  backward.add(table, backward.emit("ScatterAdd", std::move(shape), {node.inputs[1], *of[0]}, table));
}

Outputs infer_scatter_add(const Application& application) {
  return std::vector<TypedShape>{{Type::float32, application.attributes.get<Dimensions>("shape")}};
}

constexpr Type gather_inputs[] = {Type::float32, Type::int64};
constexpr Type scatter_inputs[] = {Type::int64, Type::float32};
constexpr std::string_view scatter_attributes[] = {"shape"};

constexpr Operator operators[] = {
    // Reads rows of the first input, along its first axis, at the indices in the second input.
    {"Gather", gather_inputs, {}, infer_gather, gather_gradient},
    // Not in ONNX: the gradient of Gather's table. ScatterAdd begins with a table of zeros of this `shape`, and adds
    // each update to the row with its index. The inputs are the indices of the rows, and the updates.
    {"ScatterAdd", scatter_inputs, scatter_attributes, infer_scatter_add, nullptr},
};

}  // namespace

std::span<const Operator> table_operators() {
  return operators;
}

}  // namespace carrack::train
