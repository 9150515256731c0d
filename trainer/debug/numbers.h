// Statistics of the elements of a value: their range, how many are not finite, and how much they differ from another
// evaluation. Pure.
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

Numbers numbers_of(std::span<const double> values);

// Returns the largest absolute difference of two elements, divided by the largest absolute value in `expected`. Both
// spans must have the same size. Leaves out pairs in which neither element is finite, and returns NaN if there are only
// such pairs. Returns infinity if only one element of any pair is finite, or if an element differs and `expected` has
// no finite element but 0. Returns 0 if all pairs are equal or there are none.
double difference_of(std::span<const float> computed, std::span<const double> expected);

}  // namespace carrack::train
