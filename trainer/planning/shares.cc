#include "trainer/planning/shares.h"

#include <algorithm>

namespace carrack::train {
namespace {

// Divides a batch. `before(lane)` returns the number of its records that are in earlier lanes than `lane`.
template <class Before>
Shares divided(std::int64_t batch, std::int64_t lanes, int workers, const Before& before) {
  Shares shares{.least = batch};
  for (std::int64_t i = 0; i < workers; ++i) {
    const std::int64_t records = before(lanes * (i + 1) / workers) - before(lanes * i / workers);
    shares.least = std::min(shares.least, records);
    shares.most = std::max(shares.most, records);
  }
  shares.waiting = 1 - static_cast<double>(batch) / (static_cast<double>(shares.most) * workers);
  return shares;
}

}  // namespace

std::int64_t equal_parts(std::int64_t batch) {
  return std::min<std::int64_t>(batch, lanes_max);
}

Shares shares_of(std::int64_t batch, std::int64_t lanes, int workers) {
  return divided(batch, lanes, workers,
                 [&](std::int64_t lane) { return lane * (batch / lanes) + std::min(lane, batch % lanes); });
}

Shares equal_shares_of(std::int64_t batch, int workers) {
  const std::int64_t parts = equal_parts(batch);
  return divided(batch, parts, workers, [&](std::int64_t part) { return batch * part / parts; });
}

std::optional<int> better_lanes(std::int64_t batch, int lanes, int workers) {
  for (int more = 2 * lanes; more <= equal_parts(batch); more *= 2) {
    if (shares_of(batch, more, workers).waiting <= waiting_max) return more;
  }
  return std::nullopt;
}

}  // namespace carrack::train
