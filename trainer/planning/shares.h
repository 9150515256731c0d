// Computes how the records of a batch are divided among the workers of a Sync job, and how long the workers wait for
// each other. All numbers of records, lanes and workers must be at least 1. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "trainer/launch/config.h"

namespace carrack::train {

// Returns the number of lanes of a batch whose lanes need no records of their own: one for each record, at most
// lanes_max, so that workers get parts that are as equal as possible.
std::int64_t equal_parts(std::int64_t batch);

struct Shares {
  std::int64_t least = 0, most = 0;  // the smallest and the largest number of records of a worker
  // The share, from 0 to less than 1, of the time of all workers in which they wait for the worker with the most
  // records, if all records take equally long.
  double waiting = 0;
};

// Divides a batch of `batch` records and `lanes` lanes among the workers, each of which gets a contiguous range of
// lanes.
Shares shares_of(std::int64_t batch, std::int64_t lanes, int workers);

// Shares::waiting up to this value is not worth another number of lanes.
inline constexpr double waiting_max = 0.1;

// Returns the first of 2 * lanes, 4 * lanes, ... with which Shares::waiting is at most waiting_max; nullopt if no
// number up to equal_parts(batch) is enough.
std::optional<int> better_lanes(std::int64_t batch, int lanes, int workers);

}  // namespace carrack::train
