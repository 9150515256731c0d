// Where each intermediate result of a graph lies in one arena, known before anything runs: two that are needed at the
// same time never overlap, and one that is needed no more gives its place to others. Parameters, their gradients and
// the inputs lie elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainer/graph/gradient.h"

namespace carrack::train {

inline constexpr std::int64_t arena_alignment = 64;

struct MemoryPlan {
  std::vector<std::optional<std::int64_t>> offsets;  // In bytes; by tensor, nothing for those outside the arena.
  std::int64_t bytes = 0;
};

// For batches of up to `rows_max` records.
MemoryPlan memory_plan(const Gradients& gradients, std::int64_t rows_max);

}  // namespace carrack::train
