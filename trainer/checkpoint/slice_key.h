// The key of a slice of a tensor in a bundle's index: TensorFlow's order-preserving code of the tensor's name and the
// slice's extents. It begins with a zero byte, unlike any tensor's name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// Stands for a whole dimension in keys and entries.
constexpr Extent whole_dimension{.start = 0, .length = -1};

std::string slice_key(std::string_view name, std::span<const Extent> extents);

}  // namespace carrack::checkpoint
