// Computes the key under which the index of a TensorFlow checkpoint has the entry of one slice of a tensor (entry.h):
// TensorFlow's order-preserving code of the tensor's name and the slice's extents. It begins with a zero byte, unlike
// any tensor's name, and is not text. docs/formats/checkpoint.md, "Bundle", specifies the bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// The extent that means a whole dimension, in keys and entries.
constexpr Extent whole_dimension{.start = 0, .length = -1};

// Returns the key. `extents` has one extent for each dimension of the tensor; pass whole_dimension for a dimension that
// is whole. For rows [2, 5) of a matrix: {{2, 3}, whole_dimension}.
std::string slice_key(std::string_view name, std::span<const Extent> extents);

}  // namespace carrack::checkpoint
