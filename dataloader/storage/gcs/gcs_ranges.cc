#include "dataloader/storage/gcs/gcs_ranges.h"

#include <algorithm>

namespace carrack::data {

std::vector<ObjectRange> ranges_for(std::span<const Slice> slices) {
  std::vector<Slice> pieces;
  for (const Slice& slice : slices) {
    for (std::size_t at = 0; at < slice.into.size(); at += longest_range) {
      const std::size_t size = std::min<std::size_t>(longest_range, slice.into.size() - at);
      pieces.push_back({slice.offset + at, slice.into.subspan(at, size)});
    }
  }
  std::ranges::stable_sort(pieces, {}, &Slice::offset);
  std::vector<ObjectRange> ranges;
  for (const Slice& piece : pieces) {
    const std::uint64_t end = piece.offset + piece.into.size();
    ObjectRange* last = ranges.empty() ? nullptr : &ranges.back();
    const bool near = last != nullptr && piece.offset <= last->offset + last->size + longest_gap;
    if (near && end - last->offset <= longest_range) {
      last->size = std::max(last->size, end - last->offset);
      last->into.push_back(piece);
    } else {
      ranges.push_back({piece.offset, piece.into.size(), {piece}});
    }
  }
  return ranges;
}

bool are_in_turn(std::span<const ObjectRange> ranges) {
  std::uint64_t end = 0;
  return std::ranges::all_of(ranges, [&end](const ObjectRange& range) {
    const bool follows = range.offset == end;
    end += range.size;
    return follows;
  });
}

}  // namespace carrack::data
