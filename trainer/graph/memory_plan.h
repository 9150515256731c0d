// Assigns each intermediate result of a graph a place in one arena before anything runs. Results that are needed at the
// same time never overlap; the place of a result that is no longer needed is used again. Parameters, their gradients
// and inputs are not in the arena, nor are views, whose source may be.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainer/graph/gradient.h"

namespace carrack::train {

inline constexpr std::int64_t arena_alignment = 64;

struct MemoryPlan {
  std::vector<std::optional<std::int64_t>> offsets;  // Bytes, by tensor; nullopt if it is not in the arena.
  std::int64_t bytes = 0;
};

// Whether a place is used again once its result is not needed, or all results are there after a run.
enum class Places { reused, kept };

// For batches of up to `rows_max` records.
MemoryPlan memory_plan(const Gradients& gradients, std::int64_t rows_max, Places places = Places::reused);

}  // namespace carrack::train
