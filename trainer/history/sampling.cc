#include "trainer/history/sampling.h"

#include <algorithm>

namespace carrack::history {
namespace {

constexpr std::uint64_t fraction = 512;

// Returns the least distance from a recorded step to the next one: 1 / fraction of the step, rounded up. The distance
// grows with the step, so the number of points grows only with the logarithm of the number of steps.
std::uint64_t distance_after(std::uint64_t step) {
  return std::max<std::uint64_t>(step / fraction + (step % fraction > 0 ? 1 : 0), 1);
}

}  // namespace

bool Sampling::is_due(std::uint64_t step, double unix_seconds) const {
  if (!last_ || step < last_->step) return true;
  const double passed = unix_seconds - last_->unix_seconds;  // negative if the clock was set back
  return step - last_->step >= distance_after(last_->step) && (passed >= interval_seconds_ || passed < 0);
}

void Sampling::recorded(std::uint64_t step, double unix_seconds) {
  last_ = Recorded{step, unix_seconds};
}

}  // namespace carrack::history
