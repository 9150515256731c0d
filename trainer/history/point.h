// What a run has measured at one step: of its training, or of an evaluation. The history of a run is a list of points
// in the order in which they were recorded.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace carrack::history {

struct TrainingPoint {
  std::uint64_t step = 0;   // updates so far
  std::uint64_t epoch = 0;  // from 0
  double unix_seconds = 0;
  double loss = 0;  // the mean per record over the steps since the last point
  double records_per_second = 0;

  bool operator==(const TrainingPoint&) const = default;
};

struct EvaluationPoint {
  std::uint64_t step = 0;  // of the parameters that were evaluated
  std::uint64_t epoch = 0;
  double unix_seconds = 0;
  // Names in snake_case, such as records, loss, accuracy, area_under_curve, mean_absolute_error, mean_squared_error.
  std::vector<std::pair<std::string, double>> metrics = {};
  bool is_best = false;          // of all evaluations so far
  std::uint64_t since_best = 0;  // evaluations in a row that were not the best one, with this one

  bool operator==(const EvaluationPoint&) const = default;
};

using Point = std::variant<TrainingPoint, EvaluationPoint>;

inline std::uint64_t step_of(const Point& point) {
  return std::visit([](const auto& one) { return one.step; }, point);
}

}  // namespace carrack::history
