// Metrics: measures how good the outputs of a model are, over many records: loss, accuracy and so on. `carrack predict`
// prints them, and jobs evaluate checkpoints by them. Sums are doubles, so the order of the records makes little
// difference.
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

// The metrics of all records that were added. One is nullopt if the task (task.h) does not have it, or if there are no
// records.
struct MetricValues {
  std::uint64_t records = 0;
  double loss = 0;  // the mean loss of the records; 0 without records
  // Records with an output that is NaN; their classes and labels with NaN count as wrong.
  std::uint64_t not_numbers = 0;
  std::optional<double> mean_absolute_error = {};
  std::optional<double> mean_squared_error = {};
  // The share of right classes or labels, from 0 to 1, of Kind::classes and Kind::labels. A class is right if the
  // target's class has the greatest score; of equal scores the first counts. A label is right if its score is above 0
  // and it is true, or if its score is not above 0 and it is false.
  std::optional<double> accuracy = {};
  // The area under the ROC curve, if the output is a single label: the probability that a true record has a higher
  // score than a false one; equal scores count as half. nullopt if all records are true or all are false, if any output
  // is NaN, and for more than scored_max records.
  std::optional<double> area_under_curve = {};
  // The mean squared error of each value of the last dimension, of Kind::values; empty if there is only one value, and
  // for other kinds.
  std::vector<double> squared_errors = {};
};

// Returns the index of the greatest score, the first of equal ones; nullopt if a score is NaN. `scores` must not be
// empty.
std::optional<std::size_t> greatest(std::span<const float> scores);

// Adds the squared error of each output to `sums`, which has one sum for each value of the last dimension. `outputs`
// and `targets` must have the same size, a multiple of that of `sums`.
void add_squared_errors(std::span<const float> outputs, std::span<const float> targets, std::span<double> sums);

// The maximum number of records for which the area under the ROC curve is computed.
inline constexpr std::uint64_t scored_max = 10'000'000;

// Sums up the metrics of records. For a single label it holds 8 bytes for each record, up to scored_max records. Not
// thread-safe.
class Metrics {
 public:
  explicit Metrics(ModelTask task);

  // Adds records: their outputs, their targets, and the loss of each. The number of losses is the number of records.
  // Targets are int64 for Kind::classes, float32 for values and labels, and nullopt only for Kind::counts.
  void add(std::span<const float> outputs, const std::optional<FeatureValues>& targets, std::span<const float> losses);

  // Returns the metrics of all records so far. For a single label it copies and sorts all scores.
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
  std::vector<double> squared_errors_;    // the sum for each value of the last dimension
  std::uint64_t judged_ = 0, right_ = 0;  // the number of classes or labels, and of those that are right
  std::uint64_t not_numbers_ = 0;
  // The score, and whether the label is true, of each of the first scored_max records.
  std::vector<std::pair<float, bool>> scores_;
};

// Returns the loss and the metrics of the task by name, such as {"loss", 0.0123}, {"accuracy", 0.98}. Leaves out
// `squared_errors`, `records` and `not_numbers`.
std::vector<std::pair<std::string, double>> named(const MetricValues& values);

// Returns the metrics of named() as human-readable text, "loss 0.0123, accuracy 0.98", and the number of records with
// NaN in their output, if any. Has no line break.
std::string text(const MetricValues& values);

}  // namespace carrack::train
