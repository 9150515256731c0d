#include "dataloader/storage/remote/stall_threshold.h"

#include <algorithm>
#include <vector>

namespace carrack::data {
namespace {

using std::chrono::microseconds;

// A request has stalled if it makes no progress for `factor` times the 99th percentile of the longest stalls of recent
// requests, but at least for limit_min. With fewer samples than samples_min, limit() returns limit_without_samples.
constexpr std::size_t samples_min = 8;
constexpr microseconds limit_without_samples{1'000'000};
constexpr microseconds limit_min{250'000};
constexpr int factor = 3;

}  // namespace

void StallThreshold::add(microseconds longest) {
  const MutexLock lock(mutex_);
  latest_[count_++ % remembered] = longest;
}

microseconds StallThreshold::limit() const {
  std::vector<microseconds> samples;
  {
    const MutexLock lock(mutex_);
    samples.assign(latest_.begin(), latest_.begin() + static_cast<std::ptrdiff_t>(std::min(count_, remembered)));
  }
  if (samples.size() < samples_min) return limit_without_samples;
  const auto percentile_99 = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() * 99 / 100);
  std::ranges::nth_element(samples, percentile_99);
  return std::max(limit_min, factor * *percentile_99);
}

}  // namespace carrack::data
