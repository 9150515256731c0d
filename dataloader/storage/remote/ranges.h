// Which byte ranges of an object are requested to fill slices: long slices are split, near ones share a request. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// At 30 ms to the first byte and 100 MB/s a stream, a request of this size spends a quarter of its time waiting. Larger
// requests would leave fewer to run in parallel.
constexpr std::uint64_t range_bytes_max = std::uint64_t{8} << 20;
// Reading so many unused bytes between two slices takes a tenth of the time of one more request.
constexpr std::uint64_t gap_bytes_max = std::uint64_t{256} << 10;

struct ObjectRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::vector<Slice> into;  // By offset; each lies within the range.
};

// The ranges that cover all slices, by offset.
std::vector<ObjectRange> ranges_for(std::span<const Slice> slices);

// True if the ranges follow each other without a gap, from the object's first byte on.
bool are_in_turn(std::span<const ObjectRange> ranges);

// A reply's Content-Range header: "bytes 0-99/1000". nullopt for anything else.
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t object_size = 0;
};
std::optional<ContentRange> content_range_from(std::string_view header);

}  // namespace carrack::data
