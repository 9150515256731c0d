// Lanes, the shares into which every batch is cut. Their number is a power of two and does not depend on the number of
// workers. The gradients of each lane are summed, and these sums are added along a fixed binary tree over the lane
// numbers: lanes 0 and 1, then 2 and 3, then the two sums, and so on. So the total has the same bits however lanes are
// spread over workers, and in whatever order their sums arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/range.h"

namespace carrack::train {

// Returns part number `index` of [0, total), cut into `parts` parts. Sizes differ by at most one, and the larger parts
// come first; with more parts than `total`, the last ones are empty. `parts` must be at least 1, and `index` from 0 to
// parts - 1. Used for the lanes of a worker and for the records of a lane.
Range equal_part(std::int64_t total, std::int64_t parts, std::int64_t index);

// The lanes below one node of the tree, [begin, begin + size): `size` is a power of two, and `begin` a multiple of it.
struct Subtree {
  int begin = 0;
  int size = 1;
  bool operator==(const Subtree&) const = default;
};

// Returns the fewest subtrees that make up the lanes `run`, in order: [1, 6) is lane 1, lanes 2-3 and lanes 4-5. Empty
// for an empty run.
std::vector<Subtree> aligned_subtrees(Range run);

// A view of the ends of lanes, which must outlive it. `rows` has the end of each lane as a number of rows. (*this)[i]
// is the same end as an index along a dimension with `per_row` elements for each row: lane i has the elements
// [(*this)[i - 1], (*this)[i]), and lane 0 begins at 0. The ends ascend; two may be equal, because a lane may be empty.
// Their number is a power of two, at most 2^16. Without ends, rows are added up without lanes. For functions on a GPU
// the ends are in its memory, where the CPU must not read them.
class LaneEnds {
 public:
  constexpr LaneEnds(std::span<const std::int64_t> rows = {}, std::int64_t per_row = 1)
      : rows_(rows), per_row_(per_row) {}
  LaneEnds(const std::vector<std::int64_t>& rows) : LaneEnds(std::span(rows)) {}

  constexpr bool empty() const { return rows_.empty(); }
  constexpr std::size_t size() const { return rows_.size(); }
  constexpr std::int64_t operator[](std::size_t lane) const { return rows_[lane] * per_row_; }
  // in_rows() returns the ends as numbers of rows. with_ends_at() returns a view of the same lanes that reads the ends
  // from `rows`, to which the caller has copied in_rows().
  constexpr std::span<const std::int64_t> in_rows() const { return rows_; }
  constexpr LaneEnds with_ends_at(const std::int64_t* rows) const { return {std::span(rows, rows_.size()), per_row_}; }
  // Returns the same lanes along a dimension with `count` times as many elements for each row.
  constexpr LaneEnds times(std::int64_t count) const { return {rows_, per_row_ * count}; }
  // Throws Error with Blame::bug unless there are no ends, or their number is a power of two, they ascend from at least
  // 0, and the last one is `end`, an index like those that operator[] returns.
  void require(std::int64_t end) const;

 private:
  std::span<const std::int64_t> rows_;
  std::int64_t per_row_;
};

}  // namespace carrack::train
