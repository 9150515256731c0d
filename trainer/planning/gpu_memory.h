// Computes how much memory of a GPU a worker needs, and how many records of a batch a GPU should compute at once. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainer/launch/config.h"
#include "trainer/models/model.h"
#include "trainer/planning/memory_need.h"

namespace carrack::train {

// Some of the units of which a batch consists. A GPU computes a unit at once: with `deterministic` it is a lane,
// otherwise a record. If the model computes over the records of a batch, as BatchNorm does, the only unit is the share
// of a GPU; with `deterministic` such a model computes over the records of each lane.
struct BatchUnits {
  std::int64_t units = 1;
  std::int64_t all_units = 1;    // of the batch
  std::int64_t all_records = 0;  // of the batch
  bool are_lanes = false;

  // Returns the most records of so many consecutive units; their sizes differ by at most one.
  std::int64_t records() const { return units * (all_records / all_units) + std::min(units, all_records % all_units); }
  BatchUnits with(std::int64_t count) const { return {count, all_units, all_records, are_lanes}; }
};

// These return the largest share that one of the GPUs of a worker has of a batch of `records`: while the fewest workers
// take part with which a job starts, and while the worker is alone.
BatchUnits planned_gpu_share(const Config& config, const ModelGraph& model, std::int64_t records);
BatchUnits lone_gpu_share(const Config& config, const ModelGraph& model, std::int64_t records);

// Returns the memory that a GPU needs to compute the gradients of `part` at once. Counts no memory that CUDA itself
// takes.
std::vector<MemoryEntry> gpu_memory(const ModelGraph& model, const BatchUnits& part);

// Returns the part of `share` that should be computed at once: halves the number of units until the part needs at most
// `bytes` of memory. nullopt if a single unit needs more.
std::optional<BatchUnits> fitting_part(const ModelGraph& model, BatchUnits share, double bytes);

}  // namespace carrack::train
