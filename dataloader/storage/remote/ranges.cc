#include "dataloader/storage/remote/ranges.h"

#include <algorithm>

#include "dataloader/text.h"

namespace carrack::data {

std::vector<ObjectRange> ranges_for(std::span<const Slice> slices) {
  std::vector<Slice> pieces;
  for (const Slice& slice : slices) {
    for (std::size_t at = 0; at < slice.into.size(); at += range_bytes_max) {
      const std::size_t size = std::min<std::size_t>(range_bytes_max, slice.into.size() - at);
      pieces.push_back({slice.offset + at, slice.into.subspan(at, size)});
    }
  }
  std::ranges::stable_sort(pieces, {}, &Slice::offset);
  std::vector<ObjectRange> ranges;
  for (const Slice& piece : pieces) {
    const std::uint64_t end = piece.offset + piece.into.size();
    ObjectRange* last = ranges.empty() ? nullptr : &ranges.back();
    const bool is_near = last != nullptr && piece.offset <= last->offset + last->size + gap_bytes_max;
    if (is_near && end - last->offset <= range_bytes_max) {
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

std::optional<ContentRange> content_range_from(std::string_view header) {
  constexpr std::string_view unit = "bytes ";
  const std::size_t dash = header.find('-');
  const std::size_t slash = header.find('/');
  if (!header.starts_with(unit) || dash == header.npos || slash == header.npos) return std::nullopt;
  const auto first = number_in<std::uint64_t>(header.substr(unit.size(), dash - unit.size()));
  const auto size = number_in<std::uint64_t>(header.substr(slash + 1));
  if (!first || !size) return std::nullopt;
  return ContentRange{*first, *size};
}

}  // namespace carrack::data
