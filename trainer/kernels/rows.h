// Reading rows of a table by their numbers, adding to them, and copying parts of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/refused.h"

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

// The same on a device: device.h says what `stream` is, and which memory all pointers, indices and the ends of lanes
// are in. An index outside of the table is written to `refused`, and neither read nor added to.
namespace cuda {

void gather(Stream& stream, Table shape, const float* table, std::span<const std::int64_t> indices, float* gathered,
            Refused* refused);

// `numbers` is memory for scatter_add_numbers(indices.size()) integers. To sort n updates by index takes log(n)
// launches and n log(n)^2 steps. Then one thread adds up the updates of an element, however many there are.
constexpr std::size_t scatter_add_numbers(std::size_t indices) {
  return 2 * indices;
}
void scatter_add(Stream& stream, Table shape, std::span<const std::int64_t> indices, const float* updates, float* table,
                 const LaneEnds& lane_ends, std::int64_t* numbers, Refused* refused);

void copy_columns(Stream& stream, std::int64_t rows, std::int64_t width, const float* from, std::int64_t from_stride,
                  float* to, std::int64_t to_stride);

// to[row, length - 1 - i, column] = from[row, i, column], of the shape [rows, length, width].
void reverse(Stream& stream, std::int64_t rows, std::int64_t length, std::int64_t width, const float* from, float* to);

}  // namespace cuda
}  // namespace carrack::train
