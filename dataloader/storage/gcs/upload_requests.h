// How many requests an upload to gs:// takes. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace carrack::data {

// A multiple of 256 KiB, as the service requires of all chunks but the last.
inline constexpr std::size_t upload_chunk_bytes = std::size_t{8} << 20;

// Of an object of this size, if none is repeated: one begins, and the last one, which may carry no bytes, ends it.
constexpr std::uint64_t upload_requests(std::uint64_t bytes) {
  return 2 + bytes / upload_chunk_bytes;
}

}  // namespace carrack::data
