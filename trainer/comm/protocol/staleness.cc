#include "trainer/comm/protocol/staleness.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace carrack::train {

void StalenessCounts::add(std::uint64_t staleness) {
  const auto bucket = static_cast<std::size_t>(std::bit_width(staleness));
  ++batches[std::min(bucket, batches.size() - 1)];
  sum += staleness;
  most = std::max(most, staleness);
}

std::uint64_t StalenessCounts::total() const {
  return std::accumulate(batches.begin(), batches.end(), std::uint64_t{0});
}

double StalenessCounts::mean() const {
  return total() == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(total());
}

StalenessCounts total_of(const Staleness& staleness) {
  StalenessCounts all;
  for (const auto& [worker, counts] : staleness) {
    for (std::size_t i = 0; i < all.batches.size(); ++i) all.batches[i] += counts.batches[i];
    all.sum += counts.sum;
    all.most = std::max(all.most, counts.most);
  }
  return all;
}

}  // namespace carrack::train
