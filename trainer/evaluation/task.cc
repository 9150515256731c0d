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
  ModelTask task = std::visit(overloaded{[](const Layers& network) {
                                           return ModelTask{kind_of_output(network.loss.kind), network.loss.target, {}};
                                         },
                                         [](const LinearRegression& regression) {
                                           return ModelTask{ModelTask::Kind::values, regression.target, {}};
                                         },
                                         [](const Tally&) {
                                           return ModelTask{ModelTask::Kind::counts, "", {}};
                                         }},
                              model);
  task.output = std::move(output);
  return task;
}

}  // namespace carrack::train
