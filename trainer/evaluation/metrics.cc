#include "trainer/evaluation/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/text.h"

namespace carrack::train {
namespace {

std::string number(double value) {
  if (std::isnan(value)) return "nan";  // printf() writes "-nan" for some NaNs.
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

std::optional<std::size_t> greatest(std::span<const float> scores) {
  if (std::ranges::any_of(scores, [](float one) { return std::isnan(one); })) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
}

void add_squared_errors(std::span<const float> outputs, std::span<const float> targets, std::span<double> sums) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double error = double{outputs[i]} - double{targets[i]};
    sums[i % sums.size()] += error * error;
  }
}

Metrics::Metrics(ModelTask task) : task_(std::move(task)) {
  if (task_.kind == ModelTask::Kind::values) squared_errors_.resize(static_cast<std::size_t>(task_.width()));
}

void Metrics::add(std::span<const float> outputs, const std::optional<FeatureValues>& targets,
                  std::span<const float> losses) {
  CHECK_EQ(outputs.size(), losses.size() * static_cast<std::size_t>(task_.outputs()));
  records_ += losses.size();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto own =
        outputs.subspan(i * static_cast<std::size_t>(task_.outputs()), static_cast<std::size_t>(task_.outputs()));
    not_numbers_ += std::ranges::any_of(own, [](float one) { return std::isnan(one); }) ? 1 : 0;
  }
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
  }
  add_squared_errors(outputs, targets, squared_errors_);
}

void Metrics::add_classes(std::span<const float> outputs, std::span<const std::int64_t> targets) {
  const auto classes = static_cast<std::size_t>(task_.width());
  CHECK_EQ(outputs.size(), targets.size() * classes);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto scores = outputs.subspan(i * classes, classes);
    const std::optional<std::size_t> found = greatest(scores);
    right_ += found && static_cast<std::int64_t>(*found) == targets[i] ? 1 : 0;
  }
  judged_ += targets.size();
}

void Metrics::add_labels(std::span<const float> outputs, std::span<const float> targets) {
  CHECK_EQ(outputs.size(), targets.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_true = targets[i] > 0.5f;
    right_ += !std::isnan(outputs[i]) && (outputs[i] > 0) == is_true ? 1 : 0;
    if (task_.outputs() == 1 && judged_ + i < scored_max) scores_.emplace_back(outputs[i], is_true);
  }
  judged_ += outputs.size();
}

// Counts the pairs of a true and a false record in which the true one has the higher score; equal scores count as half.
// The share of such pairs is the area under the ROC curve.
std::optional<double> Metrics::area_under_curve() const {
  if (not_numbers_ > 0) return std::nullopt;  // NaN cannot be sorted.
  if (judged_ > scored_max) return std::nullopt;
  std::vector<std::pair<float, bool>> sorted = scores_;
  std::ranges::sort(sorted);
  double false_ones = 0, true_ones = 0, pairs = 0;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto end =
        std::ranges::find_if(first, sorted.end(), [&](const auto& one) { return one.first != first->first; });
    const auto own_true = static_cast<double>(std::count_if(first, end, [](const auto& one) { return one.second; }));
    const double own_false = static_cast<double>(end - first) - own_true;
    pairs += own_true * (false_ones + own_false / 2);
    false_ones += own_false;
    true_ones += own_true;
    first = end;
  }
  if (false_ones == 0 || true_ones == 0) return std::nullopt;
  return pairs / (false_ones * true_ones);
}

MetricValues Metrics::values() const {
  MetricValues values{.records = records_, .not_numbers = not_numbers_};
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

std::vector<std::pair<std::string, double>> named(const MetricValues& values) {
  std::vector<std::pair<std::string, double>> all{{"loss", values.loss}};
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) all.emplace_back(name, *value);
  };
  add("mean_absolute_error", values.mean_absolute_error);
  add("mean_squared_error", values.mean_squared_error);
  add("accuracy", values.accuracy);
  add("area_under_curve", values.area_under_curve);
  return all;
}

std::string text(const MetricValues& values) {
  std::string line;
  for (auto [name, value] : named(values)) {
    std::ranges::replace(name, '_', ' ');
    if (name == "area under curve") name = "area under the ROC curve";
    line += (line.empty() ? "" : ", ") + name + " " + number(value);
  }
  if (values.not_numbers > 0) line += "; " + data::counted(values.not_numbers, "record") + " with NaN in the output";
  return line;
}

}  // namespace carrack::train
