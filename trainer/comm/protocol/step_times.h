// How long workers take for a step: the last times that they have reported.
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
  // Of the last `kept` times; 0 if there is none.
  Duration median() const;

  static constexpr std::size_t kept = 101;

 private:
  std::deque<Duration> times_;
};

}  // namespace carrack::train
