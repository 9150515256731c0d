// Assigns each intermediate result of a graph a place in one arena before anything runs. Results that are needed at the
// same time never overlap. The place of a result is reused when no later node reads it, but the loss keeps its place
// until the end. Parameters, their gradients and inputs are not in the arena; a view has no place, because it is in the
// place of its source.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainer/graph/gradient.h"

namespace carrack::train {

inline constexpr std::int64_t arena_alignment = 64;  // alignment in bytes of the arena and of each place in it

struct MemoryPlan {
  // The places in the arena as offsets in bytes, by ValueId; nullopt for a view, or a value that is not in the arena.
  std::vector<std::optional<std::int64_t>> offsets;
  std::int64_t bytes = 0;  // size of the arena
};

// reused: a place is used again when no later node reads its result. kept: no place is used again, so all results can
// be read after a run.
enum class Places { reused, kept };

// Returns a plan for batches of up to `rows_max` records. The results `kept`, or their sources if they are views, keep
// their places until the end, too.
MemoryPlan memory_plan(const Gradients& gradients, std::int64_t rows_max, Places places = Places::reused,
                       std::span<const ValueId> kept = {});

}  // namespace carrack::train
