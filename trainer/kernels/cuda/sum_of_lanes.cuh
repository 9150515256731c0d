// Device code for kernels that sum over the rows of a batch. A batch may be cut into lanes (kernels/lanes.h): then
// there is a sum for each lane, and these are added along a fixed binary tree, so that the bits are those of the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trainer/kernels/lanes.h"
#include "trainer/kernels/range.h"

namespace carrack::train::cuda {

// Returns the total of sum_of(range) over all lanes, added along the tree. sum_of(range) returns the sum of one lane,
// whose elements are `range`; the type of the sum is its own, and needs operator+. Each thread that calls this calls
// sum_of() once for each lane, in ascending order, even for empty lanes; without lanes, once for [0, size). The last
// lane must end at `size`, which is not checked. If sum_of() synchronizes the block, all threads of the block must call
// this.
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
