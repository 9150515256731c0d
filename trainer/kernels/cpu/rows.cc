#include "trainer/kernels/rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

#include "trainer/kernels/range.h"
#include "trainer/kernels/sums.h"

namespace carrack::train::cpu {

namespace {

constexpr std::int64_t columns_max = 64;  // maximum number of columns that add_lanes() adds at once, on the stack

// Updates of a table. Each is a row, and rows are `width` elements apart.
struct Updates {
  const float* data;
  std::int64_t width;
};

void add_in_order(Updates updates, std::span<const std::int64_t> indices, float* table) {
  const auto width = static_cast<std::size_t>(updates.width);
  for (const std::int64_t index : indices) {
    accumulate({table + index * updates.width, width}, {updates.data, width});
    updates.data += updates.width;
  }
}

// Adds the updates with the numbers `numbers` to `sums`, along the tree of lanes (lanes.h). The numbers ascend, and all
// are in the lanes `lanes`. `sums` must be zero before. Skips a subtree without updates, because it would add zero.
void add_lanes(Updates updates, std::span<const std::int64_t> numbers, const LaneEnds& ends, Range lanes,
               std::span<float> sums) {
  if (lanes.size() == 1) {
    for (const std::int64_t number : numbers) accumulate(sums, {updates.data + number * updates.width, sums.size()});
    return;
  }
  const std::int64_t middle = lanes.begin + lanes.size() / 2;
  const auto right = std::ranges::lower_bound(numbers, ends[static_cast<std::size_t>(middle - 1)]);
  const std::span<const std::int64_t> before(numbers.begin(), right), after(right, numbers.end());
  if (!before.empty()) add_lanes(updates, before, ends, {lanes.begin, middle}, sums);
  if (before.empty()) return add_lanes(updates, after, ends, {middle, lanes.end}, sums);
  if (after.empty()) return;
  std::array<float, columns_max> others{};
  add_lanes(updates, after, ends, {middle, lanes.end}, std::span(others).first(sums.size()));
  accumulate(sums, std::span(others).first(sums.size()));
}

}  // namespace

const std::int64_t* first_outside(Table shape, std::span<const std::int64_t> indices) {
  for (const std::int64_t& index : indices) {
    if (index < 0 || index >= shape.rows) return &index;
  }
  return nullptr;
}

void gather(Table shape, const float* table, std::span<const std::int64_t> indices, float* gathered) {
  for (const std::int64_t index : indices) {
    gathered = std::copy_n(table + index * shape.width, shape.width, gathered);
  }
}

void scatter_add(Table shape, std::span<const std::int64_t> indices, const float* updates, float* table,
                 const LaneEnds& lane_ends, std::vector<std::int64_t>& by_index) {
  lane_ends.require(std::ssize(indices));
  std::fill_n(table, shape.rows * shape.width, 0.0f);
  if (lane_ends.empty()) return add_in_order({updates, shape.width}, indices, table);
  by_index.resize(indices.size());
  std::iota(by_index.begin(), by_index.end(), 0);
  const auto index_of = [&](std::int64_t update) { return indices[static_cast<std::size_t>(update)]; };
  std::ranges::sort(by_index, {}, [&](std::int64_t update) { return std::pair(index_of(update), update); });
  for (auto first = by_index.begin(); first != by_index.end();) {
    const std::int64_t index = index_of(*first);
    const auto end = std::find_if(first, by_index.end(), [&](std::int64_t i) { return index_of(i) != index; });
    for (std::int64_t column = 0; column < shape.width; column += columns_max) {
      const auto columns = static_cast<std::size_t>(std::min(columns_max, shape.width - column));
      const Updates part{updates + column, shape.width};
      add_lanes(part, {first, end}, lane_ends, {0, static_cast<std::int64_t>(lane_ends.size())},
                {table + index * shape.width + column, columns});
    }
    first = end;
  }
}

void copy_columns(std::int64_t rows, std::int64_t width, const float* from, std::int64_t from_stride, float* to,
                  std::int64_t to_stride) {
  for (std::int64_t row = 0; row < rows; ++row) std::copy_n(from + row * from_stride, width, to + row * to_stride);
}

}  // namespace carrack::train::cpu
