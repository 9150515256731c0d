// Packed varints into memory, eight bytes of them at a time. Nothing is read outside of the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace carrack::data {

// How many varints the bytes hold, if they are varints.
std::size_t varints_in(std::span<const std::byte> packed);

// Fills `into`; false where the bytes are not exactly so many varints.
bool take_varints(std::span<const std::byte> packed, std::span<std::int64_t> into);

}  // namespace carrack::data
