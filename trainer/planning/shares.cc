#include "trainer/planning/shares.h"

#include <algorithm>

namespace carrack::train {

std::int64_t equal_parts(std::int64_t batch) {
  return std::min<std::int64_t>(batch, lanes_max);
}

Shares shares_of(std::int64_t batch, std::int64_t lanes, int workers) {
  Shares shares{.least = batch};
  for (std::int64_t i = 0; i < workers; ++i) {
    const std::int64_t first = lanes * i / workers, end = lanes * (i + 1) / workers;
    const std::int64_t records = batch * end / lanes - batch * first / lanes;
    shares.least = std::min(shares.least, records);
    shares.most = std::max(shares.most, records);
  }
  shares.waiting = 1 - static_cast<double>(batch) / (static_cast<double>(shares.most) * workers);
  return shares;
}

std::optional<int> better_lanes(std::int64_t batch, int lanes, int workers) {
  for (int more = 2 * lanes; more <= equal_parts(batch); more *= 2) {
    if (shares_of(batch, more, workers).waiting <= waiting_max) return more;
  }
  return std::nullopt;
}

}  // namespace carrack::train
