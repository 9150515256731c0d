// Rounds sizes up to whole parts.
#pragma once

#include <cstdint>

namespace carrack::train {

// Returns total / by, rounded up: the number of parts of `by` elements that hold `total` elements. `total` must not be
// negative, and `by` must be positive.
constexpr std::int64_t divided_up(std::int64_t total, std::int64_t by) {
  return (total + by - 1) / by;
}

// Returns the first multiple of `to` that is not less than `total`. The same is required of both as above.
constexpr std::int64_t rounded_up(std::int64_t total, std::int64_t to) {
  return divided_up(total, to) * to;
}

}  // namespace carrack::train
