// Decides at which steps the coordinator records a training point or an evaluation (point.h; each kind has a Sampling
// of its own), so that the files of a job stay small however long it runs: about 4,400 points for a million steps,
// 8,000 for a billion.
//
// The distance between points grows with the step: after a point at step S the next one is due at least S / 512 steps
// (rounded up) later, and at least the interval later. If the interval is no limit, a job of N steps has points at most
// N / 512 steps (rounded up) apart, and so at least 500 points if N is at least 500. Of N steps above 512, at most 512
// + 512 ln(N / 512) are recorded. The caller records the last step of a job in any case.
#pragma once

#include <cstdint>
#include <optional>

namespace carrack::history {

class Sampling {
 public:
  // `interval_seconds` is the minimum time between two points; 0: no minimum.
  explicit Sampling(double interval_seconds) : interval_seconds_(interval_seconds) {}

  // Returns whether to record the step now. True before the first recorded(), and for a step below the last recorded
  // one. A clock that was set back counts as if the interval had passed. Changes nothing: call recorded() if the step
  // is recorded. The time is the current time, in seconds since 1970.
  bool is_due(std::uint64_t step, double unix_seconds) const;
  // Call it for each step that is recorded, whether it was due or not, and for the step of a restart. `step` may be
  // lower than in an earlier call, as after a restart from a commit: distances are then counted from it.
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
