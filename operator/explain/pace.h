// Measures how fast a job goes: steps per second over the last 15 seconds. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "operator/core/job.h"

namespace carrack::control {

class Pace {
 public:
  // Call it whenever the step is seen, in the order of time. A smaller step than before, such as after a restart,
  // discards what was seen before.
  void add(std::int64_t step, Time now);
  // nullopt until steps were seen for 2 seconds, and if no step was made in the last 15 seconds.
  std::optional<double> steps_per_second() const;

 private:
  struct Seen {
    std::int64_t step;
    Time when;
  };
  std::deque<Seen> seen_;  // at most one for each second
};

// "42 s", "3 min", "2 h 5 min", "3 days"; "years" from 1,000 days on.
std::string duration_text(double duration_seconds);

}  // namespace carrack::control
