// Converts little-endian numbers in a bytes feature, in which many data sets store tensors, to the numbers of a column.
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataloader/records/example.h"

namespace carrack::data {

const char* name_of(Raw raw);
// The size of one number in bytes.
std::size_t size_of(Raw raw);
// True for the integer types.
bool is_whole(Raw raw);

// Fills `into` with the first numbers of `bytes`, which need not be aligned and must have at least into.size() numbers.
// A number that a float cannot represent is rounded. For int64, is_whole(raw) must be true; otherwise `into` is not
// written.
void take_numbers(std::span<const std::byte> bytes, Raw raw, std::span<float> into);
void take_numbers(std::span<const std::byte> bytes, Raw raw, std::span<std::int64_t> into);

}  // namespace carrack::data
