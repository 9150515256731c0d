// StepTimes: how long workers computed each of the last steps, as they report to the coordinator. A worker that takes
// much longer than the median may be considered hung. Not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>

namespace carrack::train {

class StepTimes {
 public:
  using Duration = std::chrono::milliseconds;

  // Adds the duration of a step. If there are more than stored_max, the oldest one is dropped.
  void add(Duration took);
  bool is_empty() const { return times_.empty(); }
  // The median of the stored times; 0 if there are none.
  Duration median() const;

  static constexpr std::size_t stored_max = 101;

 private:
  std::deque<Duration> times_;
};

}  // namespace carrack::train
