// Decides which steps of a run are recorded, so that the history stays small however long the run is, and a curve of it
// is fine enough wherever the run ends. Pure: the time is an argument.
//
// A step is due when it is further than the last recorded one by at least 1/512 of that one, rounded up, and some time
// has passed. So the distance of points grows with the run: of N steps at most 512 + 512 ln(N / 512) are recorded once
// N is above 512, which is 4,400 of a million and 8,000 of a billion. No two neighbours are further apart than 1/512 of
// all steps, rounded up, so a curve over the steps has at least 500 points, unless there are fewer steps, or less time
// than that many intervals. The caller always records the last step of a run.
#pragma once

#include <cstdint>
#include <optional>

namespace carrack::history {

class Sampling {
 public:
  // With nothing recorded yet every step is due. `interval_seconds` has to pass between two points.
  explicit Sampling(double interval_seconds) : interval_seconds_(interval_seconds) {}

  // True if the step is to be recorded now. A clock that was set back does not delay it.
  bool is_due(std::uint64_t step, double unix_seconds) const;
  // To be called with what is recorded, whether it was due or not. A smaller step than before, as after a restart from
  // a commit, begins anew there.
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
