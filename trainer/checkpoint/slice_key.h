// The key of a slice of a tensor in a bundle's index: TensorFlow's order-preserving code of the tensor's name and the
// slice's extents. It begins with a zero byte, unlike any tensor's name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// The extent that stands for a whole dimension in keys and entries.
constexpr Extent whole_dimension{.start = 0, .length = -1};

// `extents` has one extent for each dimension of the tensor; pass whole_dimension for a dimension that is whole.
std::string slice_key(std::string_view name, std::span<const Extent> extents);

}  // namespace carrack::checkpoint
