#include "trainer/evaluation/task.h"

#include <utility>

#include "trainer/error.h"

namespace carrack::train {
namespace {

ModelTask::Kind kind_of_output(LossKind loss) {
  switch (loss) {
    case LossKind::mse:
    case LossKind::mae:
    case LossKind::huber:
      return ModelTask::Kind::values;
    case LossKind::softmax_cross_entropy:
      return ModelTask::Kind::classes;
    case LossKind::sigmoid_cross_entropy:
      return ModelTask::Kind::labels;
  }
  throw Error(Blame::bug, "a loss of no kind");
}

}  // namespace

ModelTask task_of(const Model& model, Shape output) {
  const auto kind = overloaded{[](const Layers& network) { return kind_of_output(network.loss.kind); },
                               [](const LinearRegression&) { return ModelTask::Kind::values; },
                               [](const Tally&) { return ModelTask::Kind::counts; }};
  return {std::visit(kind, model), std::move(output)};
}

}  // namespace carrack::train
