// Sums over the rows of a batch, by lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trainer/kernels/lanes.h"
#include "trainer/kernels/range.h"

namespace carrack::train::cuda {

// Adds up sum_of(range) of each lane along the tree of lanes, in each thread that calls it. Without lanes it is
// sum_of() of all `size` elements. If sum_of() waits for the block, all threads of the block must call. What sum_of()
// gives may be more than one number, if it has an operator +.
template <class SumOf>
__device__ auto sum_of_lanes(const LaneEnds& lane_ends, std::int64_t size, const SumOf& sum_of) {
  using Sum = decltype(sum_of(Range{0, size}));
  if (lane_ends.empty()) return sum_of(Range{0, size});
  Sum waiting[17];  // the sums of complete subtrees, from the largest on; there are at most 2^16 lanes
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
