// Converts little-endian numbers in bytes, as many data sets store tensors, to the numbers of a column. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataloader/records/example.h"

namespace carrack::data {

const char* name_of(Raw raw);
std::size_t size_of(Raw raw);
bool is_whole(Raw raw);

// Fills `into` with the first numbers. A number that a float cannot hold exactly is rounded. For int64, `raw` must be
// whole.
void take_numbers(std::span<const std::byte> bytes, Raw raw, std::span<float> into);
void take_numbers(std::span<const std::byte> bytes, Raw raw, std::span<std::int64_t> into);

}  // namespace carrack::data
