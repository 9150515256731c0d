#include "trainer/graph/gradient.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "trainer/error.h"
#include "trainer/graph/backward.h"

namespace carrack::train {
namespace {

// Visits the nodes of the original graph, `forward`, in reverse, and appends the gradients of their inputs.
void walk_back(Backward& backward, const std::vector<Node>& forward) {
  for (auto node = forward.rbegin(); node != forward.rend(); ++node) {
    std::vector<std::optional<ValueId>> of_outputs;
    bool has_gradient = false;
    for (const ValueId output : node->outputs) {
      of_outputs.push_back(backward.gradient_of(output));
      has_gradient = has_gradient || (of_outputs.back() && backward.is_needed(output));
    }
    if (!has_gradient) continue;
    if (node->op->gradient == nullptr) throw Error(Blame::bug, std::string(node->op->name) + " has no gradient");
    node->op->gradient(backward, *node, of_outputs);
  }
}

ValueId zeros_of(Backward& backward, ValueId parameter) {
  const ValueId zero = backward.emit("Constant", {{"value", 0.0f}}, {}, parameter);
  return backward.emit("Expand", {{"shape", backward.graph().value(parameter).shape}}, {zero}, parameter);
}

// Returns the gradients of all parameters. Each must be a different output and not a view, because Executor::run() lets
// its node write straight into the flat buffer. If that does not hold for a gradient, appends a copy.
std::vector<ValueId> gradients_of_parameters(Backward& backward) {
  std::vector<ValueId> of_parameters;
  std::set<ValueId> used;
  for (const ValueId parameter : backward.graph().parameters()) {
    if (backward.graph().value(parameter).is_fixed) {
      of_parameters.push_back(zeros_of(backward, parameter));
      continue;
    }
    std::optional<ValueId> gradient = backward.gradient_of(parameter);
    if (!gradient) {
      throw Error(Blame::user,
                  backward.graph().path() + ": the loss does not depend on " + text(backward.graph().value(parameter)));
    }
    const ValueId source = backward.graph().source_of(*gradient);
    if (source != *gradient || !used.insert(source).second)
      gradient = backward.emit("Identity", {}, {*gradient}, parameter);
    of_parameters.push_back(*gradient);
  }
  return of_parameters;
}

}  // namespace

Gradients gradients(Graph graph, ValueId loss) {
  if (const Value& value = graph.value(loss); !value.shape.empty()) {
    throw Error(Blame::user, graph.path() + ": the loss " + text(value) + " is not a scalar");
  }
  const std::vector<Node> forward = graph.nodes();
  Backward backward(std::move(graph), loss);
  walk_back(backward, forward);
  std::vector<ValueId> of_parameters = gradients_of_parameters(backward);
  std::vector<std::size_t> ready_order;
  for (const Node& node : backward.graph().nodes()) {
    for (const ValueId output : node.outputs) {
      const auto found = std::ranges::find(of_parameters, output);
      if (found != of_parameters.end()) ready_order.push_back(static_cast<std::size_t>(found - of_parameters.begin()));
    }
  }
  return {std::move(backward).take_graph(), loss, std::move(of_parameters), std::move(ready_order)};
}

}  // namespace carrack::train
