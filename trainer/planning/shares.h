// Computes how the records of a batch are divided among the workers of a Sync job, and for what share of the time
// workers wait for each other, for `carrack plan`; the coordinator and gpu_memory.h use parts of it. Workers get whole
// lanes (equal parts of a batch), so they may get different numbers of records. All numbers of records, lanes and
// workers must be at least 1. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "trainer/launch/config.h"

namespace carrack::train {

// Returns the number of lanes of a batch that may be divided in any way (not has_lanes_with_own_records() in
// reading.h): one for each record, at most lanes_max. So the parts of workers are as equal as possible.
std::int64_t equal_parts(std::int64_t batch);

struct Shares {
  std::int64_t least = 0, most = 0;  // the smallest and the largest number of records of a worker; `least` may be 0
  // The share, from 0 to less than 1, of the time of all workers in which they wait for the worker with the most
  // records, if all records take equally long: 0.25 for two workers with 2 and 1 records.
  double waiting = 0;
};

// Divides a batch of `batch` records and `lanes` lanes among the workers, if each lane has records of its own. Each
// worker gets consecutive lanes: shares_of(8, 8, 3) gives them 2, 3 and 3 records. The sizes of lanes differ by at most
// one, and the first lanes are the larger ones (dataloader/order/order.h): shares_of(12, 8, 2) gives 8 and 4 records.
Shares shares_of(std::int64_t batch, std::int64_t lanes, int workers);
// Divides a batch that may be divided in any way, into equal_parts().
Shares equal_shares_of(std::int64_t batch, int workers);

// `carrack plan` suggests more lanes only if Shares::waiting exceeds this.
inline constexpr double waiting_max = 0.1;

// Returns a larger number of lanes to suggest: the first of 2 * lanes, 4 * lanes, ... with which Shares::waiting is at
// most waiting_max. nullopt if no number up to equal_parts(batch) is enough. Does not check `lanes` itself.
std::optional<int> better_lanes(std::int64_t batch, int lanes, int workers);

}  // namespace carrack::train
