// Converts the bytes of a tensor, as numpy's tobytes() writes them and tf.io.decode_raw() reads them, to the floats or
// integers of a column. Many data sets store tensors in this way in a bytes feature. Little-endian. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataloader/records/example.h"

namespace carrack::data {

// "uint8", "bfloat16" and so on.
const char* name_of(Raw raw);
// The size of one number in bytes.
std::size_t size_of(Raw raw);
// True for the integer types.
bool is_whole(Raw raw);

// Fills `into` with the first into.size() numbers of `bytes`, which are of the type `raw`. `bytes` need not be aligned,
// and must have at least so many numbers, which is not checked. A number that a float cannot represent is rounded. For
// int64, is_whole(raw) must be true; otherwise `into` is not written.
void decode_numbers(std::span<const std::byte> bytes, Raw raw, std::span<float> into);
void decode_numbers(std::span<const std::byte> bytes, Raw raw, std::span<std::int64_t> into);

}  // namespace carrack::data
