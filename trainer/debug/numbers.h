// Statistics of the elements of a value: their range, how many are not finite, and how far they are from those of
// another evaluation. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace carrack::train {

// The first three are of the elements that are finite, and NaN if there are none.
struct Numbers {
  double min, mean, max;
  std::int64_t nan = 0, infinite = 0;
  std::optional<std::size_t> first_not_finite = {};  // its position
};

Numbers numbers_of(std::span<const double> values);

// The largest difference of an element, divided by the largest element of `expected`; infinite if an element is finite
// in one of them only. Elements that are finite in neither do not count; NaN if there are no others.
double difference_of(std::span<const float> computed, std::span<const double> expected);

}  // namespace carrack::train
