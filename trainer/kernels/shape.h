// Shapes of tensors, outermost dimension first; the shape of a scalar is empty. The executor and arithmetic.h use
// Extents instead, which always have four dimensions: the shape [5, 3] has the extents {1, 1, 5, 3}. Elements are
// stored in row-major order without gaps.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace carrack::train {

using Shape = std::vector<std::int64_t>;

inline constexpr std::size_t rank_max = 4;
using Extents = std::array<std::int64_t, rank_max>;

// Return the number of elements: 1 for a scalar, 0 if a dimension is 0. Overflow is not checked.
inline std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) count *= dimension;
  return count;
}

inline std::int64_t element_count(const Extents& extents) {
  return extents[0] * extents[1] * extents[2] * extents[3];
}

// For broadcasting as in numpy: returns how far to move in the operand for one step along each dimension of the result,
// in elements. It is 0 where the operand has extent 1 and its one element is repeated: an operand {1, 1, 5, 1} and a
// result {1, 1, 5, 3} have {5, 5, 1, 0}. Whether the operand can be broadcast is not checked.
inline Extents broadcast_strides(const Extents& operand, const Extents& result) {
  Extents strides{};
  std::int64_t stride = 1;
  for (std::size_t i = rank_max; i-- > 0;) {
    strides[i] = operand[i] == result[i] ? stride : 0;
    stride *= operand[i];
  }
  return strides;
}

}  // namespace carrack::train
