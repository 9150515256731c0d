// The part of every batch that one of several readers gets.
#pragma once

#include <cstdint>

namespace carrack::data {

// Shares are contiguous, differ by at most one row, and are together the whole batch, whatever their number is. The
// default is the whole batch.
struct BatchShare {
  std::uint64_t index = 0;  // of this reader; must be less than `count`
  std::uint64_t count = 1;  // number of readers
};

}  // namespace carrack::data
