// Which ranges of an object are asked for so that slices are filled: long slices in several, near ones together. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// At 30 ms to the first byte and 100 MB/s a stream a request of this size spends a quarter of its time waiting; larger
// ones leave fewer to be on the way together.
constexpr std::uint64_t longest_range = std::uint64_t{8} << 20;
// To read so many bytes that nobody asked for costs a tenth of a request.
constexpr std::uint64_t longest_gap = std::uint64_t{256} << 10;

struct ObjectRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::vector<Slice> into;  // By offset; each lies within.
};

// By offset.
std::vector<ObjectRange> ranges_for(std::span<const Slice> slices);

// Whether they follow on each other from an object's beginning.
bool are_in_turn(std::span<const ObjectRange> ranges);

}  // namespace carrack::data
