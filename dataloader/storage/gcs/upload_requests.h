// Computes how many HTTP requests an upload to gs:// needs, for the costs in the plan of a job. GcsWriter uploads in
// this way. Pure function.
#pragma once

#include <cstddef>
#include <cstdint>

namespace carrack::data {

// The size of each chunk of an upload except the last. The service requires a multiple of 256 KiB.
inline constexpr std::size_t upload_chunk_bytes = std::size_t{8} << 20;

// Returns the number of requests for an object of `bytes` bytes, without retries: one opens the session, one sends each
// full chunk, and a last one, which may have no bytes, ends the upload. An object of 20 MiB needs 4.
constexpr std::uint64_t upload_requests(std::uint64_t bytes) {
  return 2 + bytes / upload_chunk_bytes;
}

}  // namespace carrack::data
