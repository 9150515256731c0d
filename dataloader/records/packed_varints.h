// Decodes packed varints, eight bytes at a time. Pure functions; they read nothing outside of the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace carrack::data {

// The number of varints in the bytes, provided that they are varints.
std::size_t varints_in(std::span<const std::byte> packed);

// Fills `into`. Returns false if the bytes are not exactly into.size() varints; `into` may then be filled in part.
bool take_varints(std::span<const std::byte> packed, std::span<std::int64_t> into);

}  // namespace carrack::data
