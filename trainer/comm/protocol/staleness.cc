#include "trainer/comm/protocol/staleness.h"

#include <algorithm>
#include <bit>

namespace carrack::train {

void StalenessCounts::add(std::uint64_t staleness) {
  const auto bucket = static_cast<std::size_t>(std::bit_width(staleness));
  ++batches[std::min(bucket, batches.size() - 1)];
  most = std::max(most, staleness);
}

StalenessCounts total_of(const Staleness& staleness) {
  StalenessCounts all;
  for (const auto& [worker, counts] : staleness) {
    for (std::size_t i = 0; i < all.batches.size(); ++i) all.batches[i] += counts.batches[i];
    all.most = std::max(all.most, counts.most);
  }
  return all;
}

}  // namespace carrack::train
