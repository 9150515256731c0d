#include "trainer/comm/protocol/step_times.h"

#include <algorithm>
#include <vector>

namespace carrack::train {

void StepTimes::add(Duration took) {
  times_.push_back(took);
  if (times_.size() > stored_max) times_.pop_front();
}

StepTimes::Duration StepTimes::median() const {
  if (times_.empty()) return Duration(0);
  std::vector<Duration> sorted(times_.begin(), times_.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

}  // namespace carrack::train
