#include "trainer/graph/gradient.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "trainer/error.h"

namespace carrack::train {
namespace {

class ReverseWalk {
 public:
  ReverseWalk(Graph graph, ValueId loss) : graph_(std::move(graph)), loss_(loss), of_(graph_.values().size()) {
    depends_.resize(of_.size());
    for (const ValueId parameter : graph_.parameters()) depends_[parameter] = true;
    for (const Node& node : graph_.nodes()) {
      depends_[node.output] = std::ranges::any_of(node.inputs, [&](ValueId input) { return depends_[input]; });
    }
  }

  Gradients result() && {
    const Value& loss = graph_.value(loss_);
    if (!loss.shape.empty()) throw Error(Blame::user, graph_.path() + ": the loss " + text(loss) + " is not a scalar");
    const std::vector<Node> forward = graph_.nodes();
    of_[loss_] = emit(op::Constant{1}, {}, loss_);
    for (auto node = forward.rbegin(); node != forward.rend(); ++node) {
      if (!depends_[node->output] || !of_[node->output]) continue;
      std::visit([&](const auto& op) { back(op, *node, *of_[node->output]); }, node->op);
    }
    return finish();
  }

 private:
  // The gradient of each parameter must be the output of a node of its own, as run() has it written to the flat buffer.
  Gradients finish() {
    std::vector<ValueId> of_parameters;
    std::set<ValueId> used;
    for (const ValueId parameter : graph_.parameters()) {
      if (!of_[parameter]) {
        throw Error(Blame::user, graph_.path() + ": the loss does not depend on " + text(graph_.value(parameter)));
      }
      ValueId gradient = *of_[parameter];
      if (!used.insert(gradient).second) gradient = emit(op::Identity{}, {gradient}, parameter);
      of_parameters.push_back(gradient);
    }
    std::vector<std::size_t> ready_order;
    for (const Node& node : graph_.nodes()) {
      const auto found = std::ranges::find(of_parameters, node.output);
      if (found != of_parameters.end()) ready_order.push_back(static_cast<std::size_t>(found - of_parameters.begin()));
    }
    return {std::move(graph_), loss_, std::move(of_parameters), std::move(ready_order)};
  }

  // Appends a node whose output is the gradient of `target`, or one contribution to it.
  ValueId emit(Operator op, std::vector<ValueId> inputs, ValueId target) {
    return emit(std::move(op), std::move(inputs), target, graph_.value(target).shape);
  }
  ValueId emit(Operator op, std::vector<ValueId> inputs, ValueId target, Shape shape) {
    std::string name = "gradient of " + graph_.value(target).name;
    return graph_.append(std::move(op), std::move(inputs), {std::move(name), Type::float32, std::move(shape)});
  }

  void contribute(ValueId target, ValueId gradient) {
    of_[target] = of_[target] ? emit(op::Add{}, {*of_[target], gradient}, target) : gradient;
  }

  // If `target` was broadcast, sums `gradient` down to its shape first.
  void contribute_summed(ValueId target, ValueId gradient) {
    const Shape target_shape = graph_.value(target).shape;
    Shape shape = graph_.value(gradient).shape;
    if (const std::size_t ahead = shape.size() - target_shape.size(); ahead > 0) {
      shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(ahead));
      gradient = emit(op::ReduceSum{0, ahead}, {gradient}, target, shape);
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == target_shape[axis]) continue;
      shape[axis] = 1;
      gradient = emit(op::ReduceSum{axis, axis + 1}, {gradient}, target, shape);
    }
    contribute(target, gradient);
  }

  void back(const op::Add&, const Node& node, ValueId gradient) {
    for (const ValueId input : node.inputs) {
      if (depends_[input]) contribute_summed(input, gradient);
    }
  }

  void back(const op::Sub&, const Node& node, ValueId gradient) {
    const ValueId a = node.inputs[0], b = node.inputs[1];
    if (depends_[a]) contribute_summed(a, gradient);
    if (depends_[b]) contribute_summed(b, emit(op::Neg{}, {gradient}, node.output));
  }

  void back(const op::Mul&, const Node& node, ValueId gradient) {
    const ValueId a = node.inputs[0], b = node.inputs[1];
    if (depends_[a]) contribute_summed(a, emit(op::Mul{}, {gradient, b}, node.output));
    if (depends_[b]) contribute_summed(b, emit(op::Mul{}, {gradient, a}, node.output));
  }

  void back(const op::Neg&, const Node& node, ValueId gradient) {
    contribute(node.inputs[0], emit(op::Neg{}, {gradient}, node.inputs[0]));
  }

  void back(const op::ReduceSum& reduce, const Node& node, ValueId gradient) {
    Shape from = graph_.value(node.inputs[0]).shape;
    std::fill(from.begin() + static_cast<std::ptrdiff_t>(reduce.begin),
              from.begin() + static_cast<std::ptrdiff_t>(reduce.end), 1);
    contribute(node.inputs[0], emit(op::Expand{std::move(from)}, {gradient}, node.inputs[0]));
  }

  void back(const op::Gather&, const Node& node, ValueId gradient) {
    contribute(node.inputs[0], emit(op::ScatterAdd{}, {node.inputs[1], gradient}, node.inputs[0]));
  }

  // C = A' B', so dA' = dC B'^T and dB' = A'^T dC, each in the way in which its operand is stored.
  void back(const op::Gemm& gemm, const Node& node, ValueId gradient) {
    const auto [ta, tb, m, n, k] = gemm.shape;
    const ValueId a = node.inputs[0], b = node.inputs[1];
    if (depends_[a]) {
      contribute(a, ta ? emit(op::Gemm{{tb, true, k, m, n}}, {b, gradient}, a)
                       : emit(op::Gemm{{false, !tb, m, k, n}}, {gradient, b}, a));
    }
    if (depends_[b]) {
      contribute(b, tb ? emit(op::Gemm{{true, ta, n, k, m}}, {gradient, a}, b)
                       : emit(op::Gemm{{!ta, false, k, n, m}}, {a, gradient}, b));
    }
  }

  void back(const op::Identity&, const Node& node, ValueId gradient) { contribute(node.inputs[0], gradient); }

  // Has no inputs, so nothing depends on a parameter through it.
  void back(const op::Constant&, const Node&, ValueId) {}

  // Only gradients() makes these two, and no graph goes through it twice.
  void back(const op::Expand&, const Node& node, ValueId) { throw_no_gradient(node); }
  void back(const op::ScatterAdd&, const Node& node, ValueId) { throw_no_gradient(node); }

  [[noreturn]] static void throw_no_gradient(const Node& node) {
    throw Error(Blame::bug, name_of(node.op) + " has no gradient");
  }

  Graph graph_;
  ValueId loss_;
  std::vector<std::optional<ValueId>> of_;  // The gradient so far, by tensor of the original graph.
  std::vector<bool> depends_;               // Whether it depends on a parameter, by tensor of the original graph.
};

}  // namespace

Gradients gradients(Graph graph, ValueId loss) {
  return ReverseWalk(std::move(graph), loss).result();
}

}  // namespace carrack::train
