#include "dataloader/storage/remote/stall_threshold.h"

#include <algorithm>
#include <vector>

namespace carrack::data {
namespace {

using std::chrono::microseconds;

constexpr std::size_t enough = 8;
constexpr microseconds before_enough{1'000'000};
constexpr microseconds shortest{250'000};
constexpr int times = 3;

}  // namespace

void StallThreshold::add(microseconds longest) {
  const std::lock_guard lock(mutex_);
  latest_[count_++ % remembered] = longest;
}

microseconds StallThreshold::limit() const {
  std::vector<microseconds> known;
  {
    const std::lock_guard lock(mutex_);
    known.assign(latest_.begin(), latest_.begin() + static_cast<std::ptrdiff_t>(std::min(count_, remembered)));
  }
  if (known.size() < enough) return before_enough;
  const auto rare = known.begin() + static_cast<std::ptrdiff_t>(known.size() * 99 / 100);
  std::ranges::nth_element(known, rare);
  return std::max(shortest, times * *rare);
}

}  // namespace carrack::data
