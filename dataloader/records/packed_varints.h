// Decodes the packed varints of protobuf, such as the values of an Int64List in a tf.Example, eight bytes at a time.
// Pure functions; they read nothing outside of `packed`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace carrack::data {

// Returns the number of varints that end in `packed`. Call it to size `into`. An incomplete varint at the end is not
// counted; decode_varints() finds it.
std::size_t varints_in(std::span<const std::byte> packed);

// Decodes all of `packed` into `into`. Returns false if `packed` is not exactly into.size() complete varints of at most
// ten bytes; `into` may then be filled in part. Bits of a varint beyond 64 are dropped.
bool decode_varints(std::span<const std::byte> packed, std::span<std::int64_t> into);

}  // namespace carrack::data
