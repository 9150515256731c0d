// Measures the speed of a job for `carrack top` and the progress line of `carrack run`: its steps per second over the
// last 15 seconds. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "operator/core/job.h"

namespace carrack::control {

class Pace {
 public:
  // Call this each time the job's step is read, with times that do not decrease. Only the first call within a second
  // counts. A smaller step than in the last call that counted, such as after a restart, discards all earlier calls.
  void add(std::int64_t step, Time now);
  // Returns nullopt if the calls of add() that count span less than 2 seconds, or if the step has not grown in them.
  // The last call of add() ends the 15 seconds, so call add() shortly before this.
  std::optional<double> steps_per_second() const;

 private:
  struct Seen {
    std::int64_t step;
    Time when;
  };
  std::deque<Seen> seen_;  // at most one for each second
};

// Returns a duration for the user: "42 s", "3 min", "2 h 5 min", "3 days", or "years" from 1,000 days on. It is rounded
// to the last unit that is shown, but minutes after hours are rounded down. `duration_seconds` must not be negative.
std::string duration_text(double duration_seconds);

}  // namespace carrack::control
