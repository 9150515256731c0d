#include "trainer/evaluation/prediction_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <vector>

#include "dataloader/text.h"
#include "trainer/evaluation/metrics.h"

namespace carrack::train {
namespace {

// JSON has no numbers that are not finite.
std::string number(float value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  char digits[40];
  return {digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr};
}

// Lists of lists, by the dimensions of `shape`.
std::string nested(std::span<const float> values, std::span<const std::int64_t> shape) {
  if (shape.empty()) return number(values.front());
  const auto count = static_cast<std::size_t>(shape.front());
  const std::size_t each = values.size() / count;
  std::string list = "[";
  for (std::size_t i = 0; i < count; ++i) {
    list += (i > 0 ? ", " : "") + nested(values.subspan(i * each, each), shape.subspan(1));
  }
  return list + "]";
}

// Of scores, so that they add up to 1.
std::vector<float> softmax(std::span<const float> scores) {
  const double greatest = std::ranges::max(scores);
  double sum = 0;
  for (const float score : scores) sum += std::exp(score - greatest);
  std::vector<float> probabilities;
  for (const float score : scores) probabilities.push_back(static_cast<float>(std::exp(score - greatest) / sum));
  return probabilities;
}

std::vector<float> sigmoid(std::span<const float> scores) {
  std::vector<float> probabilities;
  for (const float score : scores) probabilities.push_back(static_cast<float>(1 / (1 + std::exp(-double{score}))));
  return probabilities;
}

// The mean squared error of each value of the last dimension.
std::vector<float> errors_of(const ModelTask& task, const Prediction& prediction) {
  std::vector<double> sums(static_cast<std::size_t>(task.width()));
  add_squared_errors(prediction.outputs, prediction.target, sums);
  const auto of_each = static_cast<double>(prediction.outputs.size() / sums.size());
  std::vector<float> errors;
  for (const double sum : sums) errors.push_back(static_cast<float>(sum / of_each));
  return errors;
}

// The class and, if classes have words, its word; "null" if a score is NaN.
std::string class_text(const ModelTask& task, std::span<const float> scores) {
  const std::optional<std::size_t> found = greatest(scores);
  std::string line = ", \"class\": " + (found ? std::to_string(*found) : "null");
  if (!task.words.empty()) line += ", \"label\": " + (found ? data::json_string(task.words[*found]) : "null");
  return line;
}

std::string list_of(const std::vector<float>& values) {
  const std::int64_t size = std::ssize(values);
  return nested(values, {&size, 1});
}

std::string outputs_of(const ModelTask& task, std::span<const float> outputs) {
  switch (task.kind) {
    case ModelTask::Kind::values:
    case ModelTask::Kind::counts:
      return ", \"output\": " + nested(outputs, task.output);
    case ModelTask::Kind::classes:
      return class_text(task, outputs) + ", \"probabilities\": " + list_of(softmax(outputs));
    case ModelTask::Kind::labels:
      return ", \"probabilities\": " + nested(sigmoid(outputs), task.output);
  }
  return "";
}

}  // namespace

std::string text(const ModelTask& task, const Prediction& prediction) {
  std::string line = "{\"file\": " + data::json_string(prediction.file) +
                     ", \"record\": " + std::to_string(prediction.record) + outputs_of(task, prediction.outputs);
  if (prediction.loss) line += ", \"loss\": " + number(*prediction.loss);
  if (!prediction.target.empty() && task.width() > 1) line += ", \"errors\": " + list_of(errors_of(task, prediction));
  return line + "}";
}

}  // namespace carrack::train
