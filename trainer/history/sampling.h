// Decides which steps of a job are recorded, so that the history is small however long the job runs, and its curve is
// fine enough wherever the job ends. Pure: the time is an argument.
//
// A step is due if, since the last recorded step S, at least S / 512 steps (rounded up) and some time have passed. So
// the distance between points grows: of N steps, if N is above 512, at most 512 + 512 ln(N / 512) are recorded, which
// is 4,400 of a million and 8,000 of a billion. If the time is no limit, neighbours are at most N / 512 steps (rounded
// up) apart, so a curve has at least 500 points if the job has at least 500 steps. The caller always records the last
// step.
#pragma once

#include <cstdint>
#include <optional>

namespace carrack::history {

class Sampling {
 public:
  // At least `interval_seconds` pass between two points; 0 means that the time is no limit. Until a step is recorded,
  // every step is due.
  explicit Sampling(double interval_seconds) : interval_seconds_(interval_seconds) {}

  // Returns whether to record the step now. A clock that was set back counts as if the interval had passed.
  bool is_due(std::uint64_t step, double unix_seconds) const;
  // Call it for each step that is recorded, whether it was due or not. `step` may be lower than in an earlier call, as
  // after a restart from a commit: distances are then counted from it.
  void recorded(std::uint64_t step, double unix_seconds);

 private:
  struct Recorded {
    std::uint64_t step;
    double unix_seconds;
  };
  double interval_seconds_;
  std::optional<Recorded> last_;
};

}  // namespace carrack::history
