// Numbers that lie little-endian in bytes, as many data sets store tensors, into the numbers of a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataloader/records/example.h"

namespace carrack::data {

const char* name_of(Raw raw);
std::size_t size_of(Raw raw);
bool is_whole(Raw raw);

// Fills `into` from the first of the numbers; what a float cannot hold exactly becomes the nearest one. An int64 holds
// only whole numbers.
void take_numbers(std::span<const std::byte> bytes, Raw raw, std::span<float> into);
void take_numbers(std::span<const std::byte> bytes, Raw raw, std::span<std::int64_t> into);

}  // namespace carrack::data
