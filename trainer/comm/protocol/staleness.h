// How old the gradients of a job in Async are: by how many updates the parameters had changed, when a batch was
// applied, since its worker got those that it computed from. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace carrack::train {

// A histogram: bucket 0 is for 0, and bucket n for 2^(n-1) up to below 2^n; the last one has no upper end.
struct StalenessCounts {
  std::array<std::uint64_t, 16> batches = {};
  std::uint64_t most = 0;

  void add(std::uint64_t staleness);
  bool operator==(const StalenessCounts&) const = default;
};

// By worker.
using Staleness = std::map<std::uint32_t, StalenessCounts>;

// Of all workers together.
StalenessCounts total_of(const Staleness& staleness);

}  // namespace carrack::train
