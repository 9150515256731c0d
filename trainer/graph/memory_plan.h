// Assigns each intermediate result of a graph a place in one arena before anything runs. Results that are needed at the
// same time never overlap; the place of a result that no later node reads is used again, but that of the loss stays
// until the end. Parameters, their gradients and inputs are not in the arena. Views have no place of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainer/graph/gradient.h"

namespace carrack::train {

inline constexpr std::int64_t arena_alignment = 64;  // bytes, of the arena and of each place

struct MemoryPlan {
  std::vector<std::optional<std::int64_t>> offsets;  // in bytes, by ValueId; nullopt if it is not in the arena
  std::int64_t bytes = 0;                            // the size of the arena
};

// Whether a place is used again once its result is not needed, or all results are there after a run.
enum class Places { reused, kept };

// The plan holds for batches of up to `rows_max` records. The results `kept` have places until the end, too.
MemoryPlan memory_plan(const Gradients& gradients, std::int64_t rows_max, Places places = Places::reused,
                       std::span<const ValueId> kept = {});

}  // namespace carrack::train
