// BatchShare: the part of every batch that one of several readers gets, for data-parallel training. Of a batch of 10
// rows three readers get rows 0 to 3, 4 to 6 and 7 to 9 (lane_of() in order/order.h).
#pragma once

#include <cstdint>

namespace carrack::data {

// The shares of a batch are contiguous, differ in size by at most one row, and are together the whole batch. A share
// may be empty. The default is the whole batch.
struct BatchShare {
  std::uint64_t index = 0;  // of this reader; must be less than `count`
  std::uint64_t count = 1;  // number of readers
};

}  // namespace carrack::data
