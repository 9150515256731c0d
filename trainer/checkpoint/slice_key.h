// The key under which a bundle's index holds one slice of a tensor: TensorFlow's order-preserving code of the tensor's
// name and the slice's extents. It starts with a zero byte, which no tensor's name does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// In a key and in an entry, what spans a whole dimension has no numbers of its own.
constexpr Extent whole_dimension{.start = 0, .length = -1};

std::string slice_key(std::string_view name, std::span<const Extent> extents);

}  // namespace carrack::checkpoint
