#include "trainer/kernels/sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "trainer/kernels/cpu/elements.h"

namespace carrack::train::cpu {
namespace {

// Returns the sum of value(0), value(1), and so on to value(size - 1). Because there are 16 partial sums, vectors of 4,
// 8 or 16 floats all give the same bits.
template <class Value>
float sum_of(std::size_t size, Value value) {
  constexpr std::size_t width = partial_sums;
  std::array<float, width> sums{};
  const std::size_t whole = size - size % width;
  for (std::size_t i = 0; i < whole; i += width) {
    for (std::size_t j = 0; j < width; ++j) sums[j] += value(i + j);
  }
  for (std::size_t i = whole; i < size; ++i) sums[i - whole] += value(i);
  for (std::size_t half = width / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  return sums[0];
}

// Rows of `width` elements, one after another.
struct Rows {
  const float* data;
  std::int64_t width;
};

// Writes the sums over the rows `rows` of the first sums.size() columns.
void sum_of_rows(Rows all, Range rows, std::span<float> sums) {
  const float* row = all.data + rows.begin * all.width;
  if (all.width == 1) {  // the rows are one array, which sum() adds faster
    sums[0] = sum({row, static_cast<std::size_t>(rows.size())});
    return;
  }
  std::ranges::fill(sums, 0.0f);
  for (std::int64_t i = rows.begin; i < rows.end; ++i, row += all.width) accumulate(sums, {row, sums.size()});
}

// Adds up the sums of lanes along the tree of lanes (lanes.h). The caller writes the sums in the order of the lanes.
class SumOfLanes {
 public:
  static constexpr std::size_t columns_max = 256;

  // Returns where to write the sum of the next lane.
  float* next() { return waiting_[static_cast<std::size_t>(std::popcount(lane_))].data(); }
  // Call it when the sum at next() is written. Adds up the subtrees that this lane completes.
  void add(std::size_t columns) {
    auto last = static_cast<std::size_t>(std::popcount(lane_));
    for (int join = std::countr_one(lane_); join > 0; --join, --last) {
      accumulate({waiting_[last - 1].data(), columns}, {waiting_[last].data(), columns});
    }
    ++lane_;
  }
  const float* total() const { return waiting_[0].data(); }

 private:
  std::size_t lane_ = 0;
  // The sums of complete subtrees that wait for their siblings, the largest first. There are at most 2^16 lanes, so at
  // most 16 sums wait at the same time, and one more is being written.
  std::array<std::array<float, columns_max>, 17> waiting_;
};

void sum_of_lanes(Rows all, const LaneEnds& lane_ends, float* sums) {
  for (std::int64_t column = 0; column < all.width; column += SumOfLanes::columns_max) {
    const auto columns = std::min<std::size_t>(SumOfLanes::columns_max, static_cast<std::size_t>(all.width - column));
    SumOfLanes tree;
    std::int64_t begin = 0;
    for (std::size_t lane = 0; lane < lane_ends.size(); ++lane) {
      sum_of_rows({all.data + column, all.width}, {begin, lane_ends[lane]}, {tree.next(), columns});
      tree.add(columns);
      begin = lane_ends[lane];
    }
    std::copy_n(tree.total(), columns, sums + column);
  }
}

}  // namespace

float sum(std::span<const float> values) {
  return sum_of(values.size(), [from = values.data()](std::size_t i) { return from[i]; });
}

float sum_of_products(std::span<const float> a, std::span<const float> b) {
  return sum_of(a.size(), [left = a.data(), right = b.data()](std::size_t i) { return left[i] * right[i]; });
}

void reduce_sum(Reduction3 shape, const float* values, float* sums, const LaneEnds& lane_ends) {
  lane_ends.require(shape.reduced);
  const std::int64_t step = shape.reduced * shape.inner;
  for (std::int64_t i = 0; i < shape.outer; ++i, values += step, sums += shape.inner) {
    if (lane_ends.empty()) {
      sum_of_rows({values, shape.inner}, {0, shape.reduced}, {sums, static_cast<std::size_t>(shape.inner)});
    } else {
      sum_of_lanes({values, shape.inner}, lane_ends, sums);
    }
  }
}

void accumulate(std::span<float> into, std::span<const float> values) {
  for_each_element(into, values, into, [](float sum, float value) { return sum + value; });
}

}  // namespace carrack::train::cpu
