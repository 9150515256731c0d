// Kernels that access a table by the numbers of its rows, as embeddings do: gather() reads rows by index, scatter_add()
// is its gradient, and copy_columns() copies parts of rows. The executor calls them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/device.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/refused.h"

namespace carrack::train {

// The size of a dense table, not its data: `rows` rows of `width` elements each.
struct Table {
  std::int64_t rows;
  std::int64_t width;
};

namespace cpu {

// Returns a pointer to the first of `indices` that is below 0 or at least shape.rows, or null if there is none.
// gather() and scatter_add() do not check indices: call them only if this returns null.
const std::int64_t* first_outside(Table shape, std::span<const std::int64_t> indices);

// Copies rows: gathered[i] = table[indices[i]], where `gathered` has a row for each index.
void gather(Table shape, const float* table, std::span<const std::int64_t> indices, float* gathered);

// Sets the table to zero, then table[indices[i]] += updates[i] in the order of i, where updates[i] is a row of `width`
// elements. An index may appear more than once. With lanes (lanes.h), the updates of each lane are added up separately,
// and these sums are added along the tree of lanes; throws Error with Blame::bug if the ends are not valid or the last
// one is not the number of indices. `by_index` is working memory that calls may share, one at a time; its content has
// no meaning.
void scatter_add(Table shape, std::span<const std::int64_t> indices, const float* updates, float* table,
                 const LaneEnds& lane_ends, std::vector<std::int64_t>& by_index);

// Copies the first `width` elements of each of `rows` rows of `from` to the beginning of the same row of `to`. Strides
// are numbers of elements from the beginning of a row to that of the next one.
void copy_columns(std::int64_t rows, std::int64_t width, const float* from, std::int64_t from_stride, float* to,
                  std::int64_t to_stride);

}  // namespace cpu

// gather(), scatter_add() and copy_columns() on a GPU, and also reverse(). All pointers, indices and the ends of lanes
// are in its memory; see Stream in device.h. An index outside of the table is reported in `refused` (refused.h), which
// the caller clears before the call. For such an index gather() leaves its row of `gathered` as it was, and
// scatter_add() leaves out the update. The ends of lanes are not checked.
namespace cuda {

void gather(Stream& stream, Table shape, const float* table, std::span<const std::int64_t> indices, float* gathered,
            Refused* refused);

// `numbers` is working memory of scatter_add_numbers(indices.size()) integers. Sorting n updates by index takes log2(n)
// launches of kernels and about n log2(n)^2 steps. Then one thread adds up all updates of an element, so many updates
// of one row take long.
constexpr std::size_t scatter_add_numbers(std::size_t indices) {
  return 2 * indices;
}
void scatter_add(Stream& stream, Table shape, std::span<const std::int64_t> indices, const float* updates, float* table,
                 const LaneEnds& lane_ends, std::int64_t* numbers, Refused* refused);

void copy_columns(Stream& stream, std::int64_t rows, std::int64_t width, const float* from, std::int64_t from_stride,
                  float* to, std::int64_t to_stride);

// to[row, length - 1 - i, column] = from[row, i, column]; both are [rows, length, width].
void reverse(Stream& stream, std::int64_t rows, std::int64_t length, std::int64_t width, const float* from, float* to);

}  // namespace cuda
}  // namespace carrack::train
