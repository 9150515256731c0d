// The points of a job's training curves: the loss and speed at a step of the training, or the metrics of an evaluation.
// The coordinator records them (loop/roles/run_history.h) and writes them as metrics.jsonl (metrics_file.h) and for
// TensorBoard (events.h). The history of a job is a list of points in the order of recording. After a restart steps may
// be recorded again: see without_replaced() in metrics_file.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace carrack::history {

// The means are over the steps since the previous training point, or since a later restart or return to a commit.
struct TrainingPoint {
  std::uint64_t step = 0;         // the number of updates of the parameters so far
  std::uint64_t epoch = 0;        // counts from 0; 0 if the length of an epoch is not known
  double unix_seconds = 0;        // the time of recording, in seconds since 1970
  double loss = 0;                // the mean over the records of these steps
  double records_per_second = 0;  // the mean speed

  bool operator==(const TrainingPoint&) const = default;
};

struct EvaluationPoint {
  std::uint64_t step = 0;  // the number of updates of the parameters that were evaluated
  std::uint64_t epoch = 0;
  double unix_seconds = 0;
  // Pairs of name and value. Names are in snake_case, such as records, loss, accuracy, area_under_curve,
  // mean_absolute_error, mean_squared_error.
  std::vector<std::pair<std::string, double>> metrics = {};
  bool is_best = false;          // true for the best of all evaluations so far
  std::uint64_t since_best = 0;  // the number of evaluations with a finite loss after the best one, including this one

  bool operator==(const EvaluationPoint&) const = default;
};

using Point = std::variant<TrainingPoint, EvaluationPoint>;

inline std::uint64_t step_of(const Point& point) {
  return std::visit([](const auto& one) { return one.step; }, point);
}

}  // namespace carrack::history
