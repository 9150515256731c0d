// How fast a job goes: steps per second over the last seconds. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "operator/core/job.h"

namespace carrack::control {

class Pace {
 public:
  // To be called with what is seen, in order. A smaller step than before, as after a restart, begins anew.
  void add(std::int64_t step, Time now);
  // nullopt until steps were seen for some seconds, and while there are none.
  std::optional<double> steps_per_second() const;

 private:
  struct Seen {
    std::int64_t step;
    Time when;
  };
  std::deque<Seen> seen_;  // one for each second
};

// "42 s", "3 min", "2 h 5 min", "3 days"
std::string duration_text(double duration_seconds);

}  // namespace carrack::control
