// Assigns each intermediate result of a graph a place in one arena before anything runs. Results that are needed at the
// same time never overlap. The place of a result is reused when no later node reads it, but the loss keeps its place
// until the end. Parameters, their gradients and inputs are not in the arena; a view is where its source is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainer/graph/gradient.h"

namespace carrack::train {

inline constexpr std::int64_t arena_alignment = 64;  // in bytes, of the arena and of each place in it

struct MemoryPlan {
  std::vector<std::optional<std::int64_t>> offsets;  // in bytes, by ValueId; nullopt: no place of its own
  std::int64_t bytes = 0;                            // the size of the arena
};

// reused: a place is used again when no later node reads its result. kept: all results can be read after a run.
enum class Places { reused, kept };

// The plan holds for batches of up to `rows_max` records. The results `kept` keep their places until the end, too.
MemoryPlan memory_plan(const Gradients& gradients, std::int64_t rows_max, Places places = Places::reused,
                       std::span<const ValueId> kept = {});

}  // namespace carrack::train
