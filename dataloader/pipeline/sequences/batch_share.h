// Which part of every batch a reader gets.
#pragma once

#include <cstdint>

namespace carrack::data {

// The part of every batch that one of several readers gets. Shares are contiguous, differ by at most one row, and
// together are the whole batch, whatever their number. `index` must be less than `count`.
struct BatchShare {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

}  // namespace carrack::data
