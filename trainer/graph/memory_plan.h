// Plans the memory of a model's intermediate results, which are the outputs of the graph's nodes: one block of memory,
// the arena, and an offset in it for each result. An Executor (execution/executor.h) allocates an arena of
// MemoryPlan::bytes once and uses it for every batch; planning/ and models/check.cc use only the size. This code
// allocates no arena.
//
// Results that are needed at the same time never overlap. Not in the arena are: inputs, parameters, gradients of
// parameters, and views (Operator::is_view), which read the memory of their source.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainer/graph/gradient.h"

namespace carrack::train {

inline constexpr std::int64_t arena_alignment = 64;  // in bytes, of the arena and of each offset in it

struct MemoryPlan {
  // Where each value begins, in bytes from the beginning of the arena. Indexed by ValueId; nullopt: not in the arena.
  std::vector<std::optional<std::int64_t>> offsets;
  std::int64_t bytes = 0;  // size of the arena
};

// on: a node may overwrite a result that neither it nor a later node reads. off: no result is overwritten, so all can
// be read after a run, at the price of a larger arena.
enum class MemoryReuse { on, off };

// Returns a plan for batches of up to `rows_max` records. The loss is never overwritten, nor are the values `readable`;
// of a view, this protects the source.
MemoryPlan memory_plan(const Gradients& gradients, std::int64_t rows_max, MemoryReuse reuse = MemoryReuse::on,
                       std::span<const ValueId> readable = {});

}  // namespace carrack::train
