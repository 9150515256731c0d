// Statistics of the staleness of gradients in an Async job, for /progress and logs. The staleness of a batch is the
// number of updates that a parameter server applied between sending parameters to a worker and applying the gradient
// that the worker computed from them; with several servers, the largest of their numbers. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace carrack::train {

// A histogram. batches[0] is the number of batches with staleness 0, and batches[n] that with a staleness of at least
// 2^(n-1) and below 2^n, so batches[3] is for 4 to 7. The last one has no upper end.
struct StalenessCounts {
  std::array<std::uint64_t, 16> batches = {};
  std::uint64_t most = 0;  // the largest staleness of any batch

  // Adds one batch.
  void add(std::uint64_t staleness);
  bool operator==(const StalenessCounts&) const = default;
};

// The histogram of each worker, by the worker's index.
using Staleness = std::map<std::uint32_t, StalenessCounts>;

// Returns the histogram of the batches of all workers together.
StalenessCounts total_of(const Staleness& staleness);

}  // namespace carrack::train
