// Sums over the rows of a batch, computed for each lane and added along the tree of lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trainer/kernels/lanes.h"
#include "trainer/kernels/range.h"

namespace carrack::train::cuda {

// Returns the sum of sum_of(range) over all lanes, added along the tree of lanes.h. Each calling thread calls sum_of()
// once for each lane, in ascending order, even for empty lanes; without lanes, once for [0, size). The last lane must
// end at `size`. If sum_of() synchronizes the block, all its threads must call this. Sums need operator+.
template <class SumOf>
__device__ auto sum_of_lanes(const LaneEnds& lane_ends, std::int64_t size, const SumOf& sum_of) {
  using Sum = decltype(sum_of(Range{0, size}));
  if (lane_ends.empty()) return sum_of(Range{0, size});
  Sum waiting[17];  // sums of complete subtrees, the largest first; there are at most 2^16 lanes
  std::size_t count = 0;
  std::int64_t begin = 0;
  for (std::size_t lane = 0; lane < lane_ends.size(); ++lane) {
    Sum sum = sum_of(Range{begin, lane_ends[lane]});
    for (std::size_t complete = lane; (complete & 1) != 0; complete >>= 1) sum = waiting[--count] + sum;
    waiting[count++] = sum;
    begin = lane_ends[lane];
  }
  return waiting[0];
}

}  // namespace carrack::train::cuda
