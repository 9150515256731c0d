// Computes how much memory of a GPU a worker needs, and how many records of a batch a GPU should compute at once, so
// that they fit into its memory. For `carrack plan` and the start of a worker. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/model.h"
#include "trainer/planning/memory_need.h"

namespace carrack::train {

// A part of what a GPU computes of a batch, as a number of units, which are not divided further. With `deterministic` a
// unit is a lane (a fixed share of the batch), otherwise a record. But if the model computes over the records of a
// batch, as BatchNorm does, then without `deterministic` the whole share of a GPU is a single unit.
struct BatchUnits {
  std::int64_t units = 1;        // number of units in this part
  std::int64_t all_units = 1;    // units of the whole, which is the batch with lanes, otherwise the share of a GPU
  std::int64_t all_records = 0;  // records of the whole
  bool are_lanes = false;        // the units are lanes

  // Returns the maximum number of records that this many consecutive units have: sizes of units differ by at most one.
  std::int64_t records() const { return units * (all_records / all_units) + std::min(units, all_records % all_units); }
  // Returns a part of the same whole with `count` units.
  BatchUnits with(std::int64_t count) const { return {count, all_units, all_records, are_lanes}; }
};

// Return the largest share that one GPU has of a batch of `records` records: planned_gpu_share() while workers.min
// workers take part, the fewest with which a job starts; lone_gpu_share() while a single worker does. In Async both are
// equal, because one worker computes a whole batch.
BatchUnits planned_gpu_share(const Config& config, const ModelGraph& model, std::int64_t records);
BatchUnits lone_gpu_share(const Config& config, const ModelGraph& model, std::int64_t records);

// Returns the memory that a GPU needs to compute the gradients of `part` at once, without the memory that CUDA itself
// uses. bytes_at_most() (memory_need.h) adds it up.
std::vector<MemoryEntry> gpu_memory(const ModelGraph& model, const BatchUnits& part);

// Returns the largest part of `share` that needs at most `bytes` of GPU memory, of those that halving its number of
// units again and again yields (rounded up); `share` itself if that fits. nullopt if even a single unit needs more.
std::optional<BatchUnits> fitting_part(const ModelGraph& model, BatchUnits share, double bytes);

}  // namespace carrack::train
