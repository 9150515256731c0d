// Binary search in a range of numbers, as std::ranges::partition_point() does it in a sequence.
#pragma once

#include <cstdint>

#include "trainer/kernels/range.h"

namespace carrack::train::cuda {

// Returns the first number of the range for which `is_before` is false, or the range's end if there is none.
// `is_before` must then be false for all later numbers, too.
template <class IsBefore>
__device__ std::int64_t partition_point(Range range, const IsBefore& is_before) {
  while (range.begin < range.end) {
    const std::int64_t middle = range.begin + range.size() / 2;
    if (is_before(middle)) {
      range.begin = middle + 1;
    } else {
      range.end = middle;
    }
  }
  return range.begin;
}

}  // namespace carrack::train::cuda
