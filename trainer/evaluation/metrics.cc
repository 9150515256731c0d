#include "trainer/evaluation/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "dataloader/check.h"

namespace carrack::train {
namespace {

std::string number(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  return digits;
}

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

Metrics::Metrics(ModelTask task) : task_(std::move(task)) {
  if (task_.kind == ModelTask::Kind::values) squared_errors_.resize(static_cast<std::size_t>(task_.width()));
}

void Metrics::add(std::span<const float> outputs, const std::optional<FeatureValues>& targets,
                  std::span<const float> losses) {
  CHECK_EQ(outputs.size(), losses.size() * static_cast<std::size_t>(task_.outputs()));
  records_ += losses.size();
  for (const float loss : losses) loss_ += loss;
  switch (task_.kind) {
    case ModelTask::Kind::values:
      return add_values(outputs, std::get<std::span<const float>>(targets.value()));
    case ModelTask::Kind::classes:
      return add_classes(outputs, std::get<std::span<const std::int64_t>>(targets.value()));
    case ModelTask::Kind::labels:
      return add_labels(outputs, std::get<std::span<const float>>(targets.value()));
    case ModelTask::Kind::counts:
      return;
  }
}

void Metrics::add_values(std::span<const float> outputs, std::span<const float> targets) {
  CHECK_EQ(outputs.size(), targets.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double error = double{outputs[i]} - double{targets[i]};
    absolute_errors_ += std::fabs(error);
    squared_errors_[i % squared_errors_.size()] += error * error;
  }
}

void Metrics::add_classes(std::span<const float> outputs, std::span<const std::int64_t> targets) {
  const auto classes = static_cast<std::size_t>(task_.width());
  CHECK_EQ(outputs.size(), targets.size() * classes);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto scores = outputs.subspan(i * classes, classes);
    right_ += std::ranges::max_element(scores) - scores.begin() == targets[i] ? 1 : 0;
  }
  judged_ += targets.size();
}

void Metrics::add_labels(std::span<const float> outputs, std::span<const float> targets) {
  CHECK_EQ(outputs.size(), targets.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_true = targets[i] > 0.5f;
    right_ += (outputs[i] > 0) == is_true ? 1 : 0;
    if (task_.outputs() == 1) ++(is_true ? by_score_[outputs[i]].true_ones : by_score_[outputs[i]].others);
  }
  judged_ += outputs.size();
}

std::optional<double> Metrics::area_under_curve() const {
  double others = 0, true_ones = 0, pairs = 0;
  for (const auto& [score, counts] : by_score_) {
    const auto own_others = static_cast<double>(counts.others), own_true = static_cast<double>(counts.true_ones);
    pairs += own_true * (others + own_others / 2);
    others += own_others;
    true_ones += own_true;
  }
  if (others == 0 || true_ones == 0) return std::nullopt;
  return pairs / (others * true_ones);
}

MetricValues Metrics::values() const {
  MetricValues values{.records = records_};
  if (records_ == 0) return values;
  const auto records = static_cast<double>(records_);
  values.loss = loss_ / records;
  if (task_.kind == ModelTask::Kind::values) {
    const double count = records * static_cast<double>(task_.outputs());
    values.mean_absolute_error = absolute_errors_ / count;
    values.mean_squared_error = sum_of(squared_errors_) / count;
    if (squared_errors_.size() > 1) {
      const double of_each = count / static_cast<double>(squared_errors_.size());
      for (const double sum : squared_errors_) values.squared_errors.push_back(sum / of_each);
    }
  }
  if (judged_ > 0) values.accuracy = static_cast<double>(right_) / static_cast<double>(judged_);
  values.area_under_curve = area_under_curve();
  return values;
}

std::string text(const MetricValues& values) {
  std::string line = "loss " + number(values.loss);
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) line += std::string(", ") + name + " " + number(*value);
  };
  add("mean absolute error", values.mean_absolute_error);
  add("mean squared error", values.mean_squared_error);
  add("accuracy", values.accuracy);
  add("area under the ROC curve", values.area_under_curve);
  return line;
}

}  // namespace carrack::train
