// Statistics of the elements of a tensor for `carrack step`: their range, how many are NaN or infinite, and how much
// they differ from the same values computed in double precision. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace carrack::train {

struct Numbers {
  double min, mean, max;                             // those of the finite elements; NaN if there are none
  std::int64_t nan = 0, infinite = 0;                // the numbers of elements that are NaN, and that are infinite
  std::optional<std::size_t> first_not_finite = {};  // the index of the first NaN or infinite element; nullopt: none
};

// Returns the statistics of all values.
Numbers numbers_of(std::span<const double> values);

// Returns the relative error of `computed`: the largest |computed[i] - expected[i]|, divided by the largest
// |expected[i]|:
//   difference_of({1, 4}, {2, 4}) -> 0.25
// Both spans must have the same size. Returns 0 if all pairs are equal or there are none. Leaves out pairs in which
// neither element is finite, and returns NaN if there are only such pairs. Returns infinity if in some pair only one
// element is finite, or if a pair differs and `expected` has no finite element but 0.
double difference_of(std::span<const float> computed, std::span<const double> expected);

}  // namespace carrack::train
