// Measures how fast a job goes: its steps per second over the last 15 seconds. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "operator/core/job.h"

namespace carrack::control {

class Pace {
 public:
  // Call this each time the job's step is read, with times in ascending order. Only the first call within a second
  // counts. A smaller step than in the last call that counted, such as after a restart, discards all earlier calls.
  void add(std::int64_t step, Time now);
  // Returns nullopt unless the calls of add() span at least 2 seconds, or if the step has not grown in them. Call add()
  // shortly before this.
  std::optional<double> steps_per_second() const;

 private:
  struct Seen {
    std::int64_t step;
    Time when;
  };
  std::deque<Seen> seen_;  // at most one for each second
};

// "42 s", "3 min", "2 h 5 min", "3 days"; "years" from 1,000 days on. Rounded to the last unit that is shown, but
// minutes next to hours are rounded down. `duration_seconds` must not be negative.
std::string duration_text(double duration_seconds);

}  // namespace carrack::control
