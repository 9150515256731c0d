// How long workers take for a step: the last `kept` times that they have reported. Not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>

namespace carrack::train {

class StepTimes {
 public:
  using Duration = std::chrono::milliseconds;

  void add(Duration took);
  bool is_empty() const { return times_.empty(); }
  // The median of the stored times; 0 if there are none.
  Duration median() const;

  static constexpr std::size_t kept = 101;

 private:
  std::deque<Duration> times_;
};

}  // namespace carrack::train
