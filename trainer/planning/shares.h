// How the records of a batch are divided among the workers of a Sync job, and how long they wait for each other. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "trainer/launch/config.h"

namespace carrack::train {

// In how many parts a batch is dealt to the workers if nothing fixes its lanes: one for each record, so that workers
// get equal parts. More than these make no difference.
std::int64_t equal_parts(std::int64_t batch);

struct Shares {
  std::int64_t least = 0, most = 0;  // records of one worker
  // Of the time of all workers, the part in which they wait for the one with most records, if records take equally
  // long.
  double waiting = 0;
};

// Divides a batch of so many lanes among the workers. Each worker gets a contiguous range of lanes.
Shares shares_of(std::int64_t batch, std::int64_t lanes, int workers);

// A smaller part of their time is not worth a change of lanes.
inline constexpr double waiting_max = 0.1;

// The fewest lanes, above `lanes`, with which workers wait at most for `waiting_max`; nullopt if there are none.
std::optional<int> better_lanes(std::int64_t batch, int lanes, int workers);

}  // namespace carrack::train
