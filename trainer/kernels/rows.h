// Reading rows of a table by their numbers, adding to them, and copying parts of rows, on the CPU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/lanes.h"

namespace carrack::train {

// A table of `rows` rows with `width` elements each.
struct Table {
  std::int64_t rows;
  std::int64_t width;
};

namespace cpu {

// Points to the first of `indices` that is outside of the table; null if all are inside. Call the functions below only
// for indices for which it returned null: they do not check them.
const std::int64_t* first_outside(Table shape, std::span<const std::int64_t> indices);

// gathered[i] = table[indices[i]]
void gather(Table shape, const float* table, std::span<const std::int64_t> indices, float* gathered);

// Sets the table to zero, then table[indices[i]] += updates[i] in the order of i. An index may appear more than once.
// With lanes, of which the last one ends behind the last index, the updates of each lane are added up for themselves,
// and these sums along the fixed tree. `by_index` is memory that calls reuse.
void scatter_add(Table shape, std::span<const std::int64_t> indices, const float* updates, float* table,
                 const LaneEnds& lane_ends, std::vector<std::int64_t>& by_index);

// Copies `width` elements from each of `rows` rows to each row of `to`. The rows of `from` and `to` are `from_stride`
// and `to_stride` elements apart.
void copy_columns(std::int64_t rows, std::int64_t width, const float* from, std::int64_t from_stride, float* to,
                  std::int64_t to_stride);

}  // namespace cpu
}  // namespace carrack::train
