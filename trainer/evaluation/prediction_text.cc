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

// Writes NaN and infinities as strings, because JSON has no such numbers.
void append_number(float value, std::string& to) {
  if (std::isnan(value)) {
    to += "\"NaN\"";
  } else if (std::isinf(value)) {
    to += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    char digits[40];
    to.append(digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr);
  }
}

// Writes nested lists, with one level for each dimension of `shape`; a single number if `shape` has no dimensions.
void append_nested(std::span<const float> values, std::span<const std::int64_t> shape, std::string& to) {
  if (shape.empty()) return append_number(values.front(), to);
  const auto count = static_cast<std::size_t>(shape.front());
  const std::size_t each = values.size() / count;
  to += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) to += ", ";
    append_nested(values.subspan(i * each, each), shape.subspan(1), to);
  }
  to += ']';
}

// Returns the probabilities of the scores, which add up to 1.
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

// Returns the squared error of each value of the last dimension, as the mean over the other dimensions.
std::vector<float> errors_of(const ModelTask& task, const Prediction& prediction) {
  std::vector<double> sums(static_cast<std::size_t>(task.width()));
  add_squared_errors(prediction.outputs, prediction.target, sums);
  const auto of_each = static_cast<double>(prediction.outputs.size() / sums.size());
  std::vector<float> errors;
  for (const double sum : sums) errors.push_back(static_cast<float>(sum / of_each));
  return errors;
}

void append_list(const std::vector<float>& values, std::string& to) {
  const std::int64_t size = std::ssize(values);
  append_nested(values, {&size, 1}, to);
}

// Writes the class with the greatest score and, if classes have words, its word; both are null if a score is NaN.
void append_class(const ModelTask& task, std::span<const float> scores, std::string& to) {
  const std::optional<std::size_t> found = greatest(scores);
  to += ", \"class\": " + (found ? std::to_string(*found) : "null");
  if (!task.words.empty()) to += ", \"label\": " + (found ? data::json_string(task.words[*found]) : "null");
}

void append_outputs(const ModelTask& task, std::span<const float> outputs, std::string& to) {
  switch (task.kind) {
    case ModelTask::Kind::values:
    case ModelTask::Kind::counts:
      to += ", \"output\": ";
      append_nested(outputs, task.output, to);
      return;
    case ModelTask::Kind::classes:
      append_class(task, outputs, to);
      to += ", \"probabilities\": ";
      append_list(softmax(outputs), to);
      return;
    case ModelTask::Kind::labels:
      to += ", \"probabilities\": ";
      append_nested(sigmoid(outputs), task.output, to);
      return;
  }
}

}  // namespace

std::string text(const ModelTask& task, const Prediction& prediction) {
  std::string line =
      "{\"file\": " + data::json_string(prediction.file) + ", \"record\": " + std::to_string(prediction.record);
  append_outputs(task, prediction.outputs, line);
  if (prediction.loss) {
    line += ", \"loss\": ";
    append_number(*prediction.loss, line);
  }
  if (!prediction.target.empty() && task.width() > 1) {
    line += ", \"errors\": ";
    append_list(errors_of(task, prediction), line);
  }
  return line + "}";
}

}  // namespace carrack::train
