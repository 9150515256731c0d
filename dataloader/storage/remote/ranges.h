// Plans the HTTP requests for a read of a remote object: which byte ranges to request so that all slices (storage.h)
// are filled. Slices above 8 MiB are split, and slices that are near each other share a request. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// The maximum size of a range: 8 MiB. At 30 ms to the first byte and 100 MB/s for a stream, a request of this size
// spends a quarter of its time waiting. With larger requests fewer would run in parallel.
constexpr std::uint64_t range_bytes_max = std::uint64_t{8} << 20;
// Slices with a larger gap than this, 256 KiB, between them do not share a request. Reading so many unused bytes takes
// a tenth of the time of one more request.
constexpr std::uint64_t gap_bytes_max = std::uint64_t{256} << 10;

// The bytes of one request.
struct ObjectRange {
  std::uint64_t offset = 0;  // in bytes, within the object
  std::uint64_t size = 0;    // in bytes, at most range_bytes_max
  // Where the bytes are written, sorted by offset. Each slice is within the range; slices may overlap. Bytes in no
  // slice are dropped.
  std::vector<Slice> into;
};

// Returns the ranges that cover all slices, which may be in any order, sorted by offset; none for empty slices. The
// result refers to the memory of the slices.
std::vector<ObjectRange> ranges_for(std::span<const Slice> slices);

// True if the ranges follow each other without a gap or overlap, from the object's first byte on. They need not reach
// its end.
bool are_in_turn(std::span<const ObjectRange> ranges);

// The value of a reply's Content-Range header, such as "bytes 0-99/1000".
struct ContentRange {
  std::uint64_t first = 0;        // offset of the first byte of the reply
  std::uint64_t object_size = 0;  // size of the whole object in bytes
};
// Parses the header. Returns nullopt for any other text, even if only the size is unknown: "bytes 0-99/*".
std::optional<ContentRange> content_range_from(std::string_view header);

}  // namespace carrack::data
