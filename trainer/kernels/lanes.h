// A batch is cut into lanes; their number is a power of two and does not depend on the number of workers. Each lane
// gives one sum of gradients, and the sums are added along a fixed binary tree over the lane numbers. So the total has
// the same bits however lanes are spread over workers, and in whatever order their sums arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/range.h"

namespace carrack::train {

// Part number `index` when [0, total) is cut into `parts`. Sizes differ by at most one, and the first parts are the
// larger ones. Used for the lanes of a worker and for the records of a lane.
Range equal_part(std::int64_t total, std::int64_t parts, std::int64_t index);

// The lanes under one node of the tree: `size` is a power of two, and `begin` a multiple of `size`.
struct Subtree {
  int begin = 0;
  int size = 1;
  bool operator==(const Subtree&) const = default;
};

// The smallest set of subtrees that make up a run of lanes, in order: [1, 6) is 1, 2-3, 4-5.
std::vector<Subtree> aligned_subtrees(Range run);

// Where the lanes of a run of rows end, in elements of a dimension that is `per_row` times as long: lane i ends before
// element (*this)[i]. The ends ascend, and their number is a power of two; a lane may be empty. No ends at all stand
// for rows that are added up without lanes. Refers to the ends that it is made of; kernels of a device take them in the
// device's memory, where nothing but these kernels may read them.
class LaneEnds {
 public:
  constexpr LaneEnds(std::span<const std::int64_t> rows = {}, std::int64_t per_row = 1)
      : rows_(rows), per_row_(per_row) {}
  LaneEnds(const std::vector<std::int64_t>& rows) : LaneEnds(std::span(rows)) {}

  constexpr bool empty() const { return rows_.empty(); }
  constexpr std::size_t size() const { return rows_.size(); }
  constexpr std::int64_t operator[](std::size_t lane) const { return rows_[lane] * per_row_; }
  // The ends in rows of a batch, and the same lanes where these are at another place.
  constexpr std::span<const std::int64_t> in_rows() const { return rows_; }
  constexpr LaneEnds moved_to(const std::int64_t* rows) const { return {std::span(rows, rows_.size()), per_row_}; }
  // The same lanes along a dimension of `count` times as many elements.
  constexpr LaneEnds times(std::int64_t count) const { return {rows_, per_row_ * count}; }
  // Throws a bug unless they are as described, and the last lane ends at `end`.
  void require(std::int64_t end) const;

 private:
  std::span<const std::int64_t> rows_;
  std::int64_t per_row_;
};

}  // namespace carrack::train
