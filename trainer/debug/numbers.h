// Statistics of the elements of a value: their range, how many are not finite, and how much they differ from another
// evaluation. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace carrack::train {

struct Numbers {
  double min, mean, max;                             // of the finite elements; NaN if there are none
  std::int64_t nan = 0, infinite = 0;                // how many elements are NaN, and infinite
  std::optional<std::size_t> first_not_finite = {};  // the position of the first such element; nullopt: none
};

Numbers numbers_of(std::span<const double> values);

// Returns the largest absolute difference of two elements, divided by the largest absolute value in `expected`. Both
// spans must have the same size. Pairs in which neither element is finite are left out; NaN if there are only such
// pairs. Infinite if only one element of a pair is finite. 0 if all pairs are equal, or if there are none.
double difference_of(std::span<const float> computed, std::span<const double> expected);

}  // namespace carrack::train
