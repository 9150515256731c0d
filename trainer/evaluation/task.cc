#include "trainer/evaluation/task.h"

#include <algorithm>
#include <cstddef>
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

// Returns the word of each class, if the target is a text feature with words. The first `buckets` classes are for all
// other strings, so they have no word.
std::vector<std::string> words_of_classes(const std::string& target, const Data& data, std::int64_t classes) {
  const auto label = std::ranges::find(data.features, target, &Feature::name);
  if (label == data.features.end() || label->words.empty()) return {};
  std::vector<std::string> words(static_cast<std::size_t>(label->buckets));
  words.insert(words.end(), label->words.begin(), label->words.end());
  words.resize(static_cast<std::size_t>(classes));
  return words;
}

}  // namespace

ModelTask task_of(const Model& model, const Data& data, Shape output) {
  const auto kind = overloaded{
      [](const Layers& network) { return kind_of_output(network.loss.kind); },
      [](const LinearRegression&) { return ModelTask::Kind::values; },
      [](const Tally&) { return ModelTask::Kind::counts; },
      [](const OwnModel&) -> ModelTask::Kind { throw Error(Blame::bug, "the task of an own model is not known"); }};
  ModelTask task{std::visit(kind, model), std::move(output)};
  if (task.kind == ModelTask::Kind::classes) {
    task.words = words_of_classes(std::get<Layers>(model).loss.target, data, task.width());
  }
  return task;
}

}  // namespace carrack::train
