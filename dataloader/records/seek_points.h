// Seek points: the places at which inflating a compressed file can begin, docs/formats/index.md. They belong to one
// version of the file. Decoding is safe for any bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/records/compression.h"
#include "dataloader/records/inflater.h"

namespace carrack::data {

// Either the beginning of a stream, or the end of a block in the middle of one.
struct SeekPoint {
  std::uint64_t in = 0;   // the place in the file of the first byte that belongs wholly to what follows the point
  std::uint64_t out = 0;  // the number of inflated bytes before the point
  unsigned bits = 0;      // the number of upper bits of the byte before `in` that belong after the point, less than 8
  unsigned value = 0;     // the value of those bits
  Bytes window = {};      // inflated bytes before the point, as a ZLIB stream; empty at the beginning of a stream

  bool begins_stream() const { return window.empty(); }
  bool operator==(const SeekPoint&) const = default;
};

struct SeekPoints {
  Compression compression = Compression::gzip;  // not `none`
  std::uint64_t file_size = 0;                  // of the compressed file
  // In the order of the file, no two with the same `in` or `out`. The first point is the beginning of the file, and is
  // not encoded.
  std::vector<SeekPoint> points = {SeekPoint()};

  bool operator==(const SeekPoints&) const = default;
};

// The most bytes of SeekPoint::window, which are at most 32 KiB before they are compressed.
constexpr std::size_t window_bytes_max = std::size_t{36} << 10;

// Returns the most inflated bytes between two neighboring points, or after the last one. `size` is the number of
// inflated bytes of the whole file.
std::uint64_t distance_max(const SeekPoints& points, std::uint64_t size);

// Returns the bytes that a point takes when it is encoded.
std::size_t encoded_size(const SeekPoint& point);

Bytes encode(const SeekPoints& points);
// True if `bytes` begin as encode() of seek points does.
bool begins_with_seek_points(std::span<const std::byte> bytes);
// Decodes the points at the front of `bytes` and removes them from there. Returns a sentence that says what is wrong if
// it cannot; `bytes` are then unchanged.
std::variant<SeekPoints, std::string> take_seek_points(std::span<const std::byte>& bytes);

// Returns an inflater whose input begins at point.in of the file. If the window is damaged, it may inflate wrong bytes.
Inflater inflater_at(Compression compression, const SeekPoint& point);

}  // namespace carrack::data
