#include "trainer/graph/backward.h"

#include <algorithm>
#include <utility>

#include "dataloader/check.h"

namespace carrack::train {

Backward::Backward(Graph graph, ValueId loss)
    : graph_(std::move(graph)), of_(graph_.values().size()), depends_(graph_.values().size()) {
  for (const ValueId parameter : graph_.parameters()) depends_[parameter] = !graph_.value(parameter).is_fixed;
  for (const Node& node : graph_.nodes()) {
    const bool depends = std::ranges::any_of(node.inputs, [&](ValueId input) { return depends_[input]; });
    for (const ValueId output : node.outputs) depends_[output] = depends;
  }
  of_[loss] = emit("Constant", {{"value", 1.0f}}, {}, loss);
}

ValueId Backward::emit(std::string_view op, Attributes attributes, std::vector<ValueId> inputs, ValueId target) {
  return emit_all(op, std::move(attributes), std::move(inputs), {target}).front();
}

std::vector<ValueId> Backward::emit_all(std::string_view op, Attributes attributes, std::vector<ValueId> inputs,
                                        const std::vector<ValueId>& targets) {
  std::vector<std::string> names;
  for (const ValueId target : targets) names.push_back("gradient of " + graph_.value(target).name);
  return graph_.append(op, std::move(attributes), std::move(inputs), std::move(names));
}

void Backward::add(ValueId target, ValueId gradient) {
  CHECK(graph_.value(target).shape == graph_.value(gradient).shape);
  of_[target] = of_[target] ? emit("Add", {}, {*of_[target], gradient}, target) : gradient;
}

void Backward::add_summed(ValueId target, ValueId gradient) {
  const Dimensions own = graph_.value(target).shape;
  const std::size_t ahead = graph_.value(gradient).shape.size() - own.size();
  std::vector<std::int64_t> axes;
  for (std::size_t axis = 0; axis < ahead; ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  if (ahead > 0) {
    gradient = emit("ReduceSum", {{"axes", axes}, {"keepdims", std::int64_t{0}}}, {gradient}, target);
  }
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    if (graph_.value(gradient).shape[axis] == own[axis]) continue;
    gradient = emit("ReduceSum", {{"axes", std::vector{static_cast<std::int64_t>(axis)}}}, {gradient}, target);
  }
  add(target, gradient);
}

}  // namespace carrack::train
