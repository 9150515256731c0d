// Lanes, into which a batch is cut; their number is a power of two and does not depend on the number of workers. Each
// lane gives one sum of gradients, and these sums are added along a fixed binary tree over the lane numbers. So the
// total has the same bits however lanes are spread over workers, and in whatever order their sums arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/range.h"

namespace carrack::train {

// Returns part number `index` when [0, total) is cut into `parts`. Sizes differ by at most one, and the larger parts
// come first. Used for the lanes of a worker and for the records of a lane.
Range equal_part(std::int64_t total, std::int64_t parts, std::int64_t index);

// The lanes below one node of the tree: `size` is a power of two, and `begin` a multiple of `size`.
struct Subtree {
  int begin = 0;
  int size = 1;
  bool operator==(const Subtree&) const = default;
};

// Returns the fewest subtrees that make up a run of lanes, in order: [1, 6) is lane 1, lanes 2-3 and lanes 4-5.
std::vector<Subtree> aligned_subtrees(Range run);

// A view of the ends of lanes: lane i ends before element (*this)[i] of a dimension with `per_row` elements for each
// row. The ends ascend; their number is a power of two, at most 2^16; a lane may be empty. Empty ends mean that rows
// are added up without lanes. The ends must outlive this. For functions on a GPU they are in its memory, where the CPU
// must not read them.
class LaneEnds {
 public:
  constexpr LaneEnds(std::span<const std::int64_t> rows = {}, std::int64_t per_row = 1)
      : rows_(rows), per_row_(per_row) {}
  LaneEnds(const std::vector<std::int64_t>& rows) : LaneEnds(std::span(rows)) {}

  constexpr bool empty() const { return rows_.empty(); }
  constexpr std::size_t size() const { return rows_.size(); }
  constexpr std::int64_t operator[](std::size_t lane) const { return rows_[lane] * per_row_; }
  // in_rows() returns the ends counted in rows. with_ends_at() returns the same lanes with a copy of these ends at
  // `rows`.
  constexpr std::span<const std::int64_t> in_rows() const { return rows_; }
  constexpr LaneEnds with_ends_at(const std::int64_t* rows) const { return {std::span(rows, rows_.size()), per_row_}; }
  // The same lanes along a dimension with `count` times as many elements.
  constexpr LaneEnds times(std::int64_t count) const { return {rows_, per_row_ * count}; }
  // Throws Error with Blame::bug unless the ends are as described and the last lane ends at `end`, or there are no
  // ends.
  void require(std::int64_t end) const;

 private:
  std::span<const std::int64_t> rows_;
  std::int64_t per_row_;
};

}  // namespace carrack::train
