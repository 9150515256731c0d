// Decodes packed varints of protobuf, eight bytes at a time. Pure functions; they read nothing outside of `packed`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace carrack::data {

// Returns the number of varints in `packed`. Does not check that it consists of complete varints.
std::size_t varints_in(std::span<const std::byte> packed);

// Fills `into`. Returns false if `packed` is not exactly into.size() varints; `into` may then be filled in part. Bits
// of a varint beyond 64 are dropped.
bool take_varints(std::span<const std::byte> packed, std::span<std::int64_t> into);

}  // namespace carrack::data
