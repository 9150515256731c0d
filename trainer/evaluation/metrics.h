// How good the outputs of a model are, over many records. Sums are in double, so their order matters little. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainer/evaluation/task.h"
#include "trainer/execution/executor.h"

namespace carrack::train {

// Each is nullopt if the task has no such metric.
struct MetricValues {
  std::uint64_t records = 0;
  double loss = 0;                // the mean over the records
  std::uint64_t not_numbers = 0;  // records with an output that is NaN; their classes and labels are wrong
  std::optional<double> mean_absolute_error = {};
  std::optional<double> mean_squared_error = {};
  // The share of records whose class has the greatest score, or of labels whose score is above 0 exactly if they are
  // true.
  std::optional<double> accuracy = {};
  // The area under the ROC curve, of a single label: the probability that the score of a true one is above that of
  // another, where equal scores count as half. Absent until there are records of both kinds, if an output is NaN, and
  // of more than scored_max records.
  std::optional<double> area_under_curve = {};
  // The mean squared error of each value of the last dimension, if there are several.
  std::vector<double> squared_errors = {};
};

// The position of the greatest score, the first of equal ones; nullopt if one of them is NaN.
std::optional<std::size_t> greatest(std::span<const float> scores);

// Adds the squared errors to `sums`, which has one for each value of the last dimension.
void add_squared_errors(std::span<const float> outputs, std::span<const float> targets, std::span<double> sums);

// The area under the ROC curve is computed of so many records at most.
inline constexpr std::uint64_t scored_max = 10'000'000;

// Holds 8 bytes for each record of a single label, up to scored_max.
class Metrics {
 public:
  explicit Metrics(ModelTask task);

  // Some records: their outputs, their targets, and a loss for each.
  void add(std::span<const float> outputs, const std::optional<FeatureValues>& targets, std::span<const float> losses);

  MetricValues values() const;

 private:
  void add_values(std::span<const float> outputs, std::span<const float> targets);
  void add_classes(std::span<const float> outputs, std::span<const std::int64_t> targets);
  void add_labels(std::span<const float> outputs, std::span<const float> targets);
  std::optional<double> area_under_curve() const;

  ModelTask task_;
  std::uint64_t records_ = 0;
  double loss_ = 0;
  double absolute_errors_ = 0;
  std::vector<double> squared_errors_;    // by value of the last dimension
  std::uint64_t judged_ = 0, right_ = 0;  // classes, or labels
  std::uint64_t not_numbers_ = 0;
  std::vector<std::pair<float, bool>> scores_;  // of a single label, and whether it is true; of the first scored_max
};

// Loss and metrics of the task, by name, such as {"loss", 0.0123}, {"accuracy", 0.98}. Without those of each value of
// the last dimension.
std::vector<std::pair<std::string, double>> named(const MetricValues& values);

// "loss 0.0123, accuracy 0.98"
std::string text(const MetricValues& values);

}  // namespace carrack::train
