// Lanes: shares of the rows (records) of a batch in Sync. Each worker computes some neighbouring lanes. The number of
// lanes does not depend on the number of workers. It is `training.lanes`, a power of two, if the job is deterministic
// or if each lane reads records of its own; else there is one lane for each record, but at most 65,536.
//
// With `training.deterministic` lanes make the result independent of the number of workers. The gradients of each lane
// are summed, and these sums are added along a fixed binary tree over the lane numbers: lanes 0 and 1, then 2 and 3,
// then the two sums, and so on. Floating-point sums depend on their order, and this order is always the same. So the
// total has the same bits however lanes are spread over workers, and in whatever order their sums arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainer/kernels/range.h"

namespace carrack::train {

// Returns part number `index` of [0, total), cut into `parts` parts: equal_part(10, 4, 1) is [3, 6), because the parts
// have 3, 3, 2 and 2 numbers. Sizes differ by at most one, and the larger parts come first; with more parts than
// `total`, the last ones are empty. `parts` must be at least 1, and `index` from 0 to parts - 1; neither is checked.
// Used for the work of a thread, and for the parts of a worker's records (execution/split_executor.h).
Range equal_part(std::int64_t total, std::int64_t parts, std::int64_t index);

// The lanes below one node of the tree: lanes begin to begin + size - 1. `size` is a power of two, and `begin` a
// multiple of it.
struct Subtree {
  int begin = 0;
  int size = 1;
  bool operator==(const Subtree&) const = default;
};

// Returns the fewest subtrees that make up the lanes `run`, in order: [1, 6) is lane 1, lanes 2-3 and lanes 4-5. So a
// worker with these lanes sends three sums, if the job is deterministic. Returns none for an empty run.
std::vector<Subtree> aligned_subtrees(Range run);

// Tells a kernel where the lanes are among the rows that it sums. It is a view: the caller owns the array of ends,
// which must outlive it. The ends {2, 4, 4, 7} mean four lanes: rows 0-1, rows 2-3, no rows, and rows 4-6. The ends
// ascend, and their number is a power of two, at most 2^16. No ends at all, the default, mean that rows are summed
// without lanes. For functions on a GPU the array is in its memory, where the CPU must not read it.
//
// If a kernel sums along a dimension with several elements for each row, such as time steps, operator[] multiplies each
// end by that number, `per_row`: with per_row 10 the ends above are 20, 40, 40 and 70.
class LaneEnds {
 public:
  // Nothing is checked: see require().
  constexpr LaneEnds(std::span<const std::int64_t> rows = {}, std::int64_t per_row = 1)
      : rows_(rows), per_row_(per_row) {}
  LaneEnds(const std::vector<std::int64_t>& rows) : LaneEnds(std::span(rows)) {}

  constexpr bool empty() const { return rows_.empty(); }
  constexpr std::size_t size() const { return rows_.size(); }  // the number of lanes; 0 without lanes
  // Returns the index after the last element of the lane.
  constexpr std::int64_t operator[](std::size_t lane) const { return rows_[lane] * per_row_; }
  // For copying the ends to a GPU: in_rows() returns the array, not multiplied by per_row. with_ends_at() returns a
  // view of the same lanes that reads the ends from `rows`, to which the caller has copied that array.
  constexpr std::span<const std::int64_t> in_rows() const { return rows_; }
  constexpr LaneEnds with_ends_at(const std::int64_t* rows) const { return {std::span(rows, rows_.size()), per_row_}; }
  // Returns a view of the same lanes along a dimension with `count` times as many elements for each row.
  constexpr LaneEnds times(std::int64_t count) const { return {rows_, per_row_ * count}; }
  // Checks the ends: throws Error with Blame::bug unless there are none, or their number is a power of two, they ascend
  // from at least 0, and the last one, as returned by operator[], is `end`.
  void require(std::int64_t end) const;

 private:
  std::span<const std::int64_t> rows_;
  std::int64_t per_row_;
};

}  // namespace carrack::train
