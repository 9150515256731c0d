// How old the gradients of an Async job are: the number of updates that a server applied between sending parameters and
// applying the gradient that was computed from them. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace carrack::train {

// A histogram: bucket 0 counts staleness 0, and bucket n staleness from 2^(n-1) to 2^n - 1. The last bucket has no
// upper end.
struct StalenessCounts {
  std::array<std::uint64_t, 16> batches = {};  // number of batches
  std::uint64_t most = 0;                      // the largest staleness

  void add(std::uint64_t staleness);
  bool operator==(const StalenessCounts&) const = default;
};

// The counts of each worker, by its index.
using Staleness = std::map<std::uint32_t, StalenessCounts>;

// The counts of all workers together.
StalenessCounts total_of(const Staleness& staleness);

}  // namespace carrack::train
