// SeekPoints: the positions in a GZIP or ZLIB file at which inflating can begin, so that a read in the middle need not
// inflate all bytes before it. SeekPointStream finds them, they are stored in the file's index, and inflated() uses
// them. They belong to one version of the file. docs/formats/index.md. Functions are pure.
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

// One position: the beginning of a compressed stream (such as a GZIP member), or the end of a deflate block in the
// middle of one. In the middle, inflating also needs the 32 KiB of output before the point, and as blocks end within a
// byte, the bits of that byte that belong to the next block.
struct SeekPoint {
  std::uint64_t in = 0;   // the offset in the file of the first whole byte after the point
  std::uint64_t out = 0;  // the number of inflated bytes before the point
  unsigned bits = 0;      // how many upper bits of the byte before `in` belong after the point: 0 to 7
  unsigned value = 0;     // the value of those bits
  Bytes window = {};      // the last inflated bytes before the point, as a ZLIB stream; empty if it begins a stream

  bool begins_stream() const { return window.empty(); }
  bool operator==(const SeekPoint&) const = default;
};

struct SeekPoints {
  Compression compression = Compression::gzip;  // not `none`
  std::uint64_t file_size = 0;                  // of the compressed file
  // `in` and `out` both ascend from point to point. The first point is the beginning of the file, and is not encoded.
  std::vector<SeekPoint> points = {SeekPoint()};

  bool operator==(const SeekPoints&) const = default;
};

// The maximum size of SeekPoint::window. A window has at most 32 KiB before it is compressed.
constexpr std::size_t window_bytes_max = std::size_t{36} << 10;

// Returns the largest number of inflated bytes from one point to the next, or from the last point to the end: how much
// a read may have to inflate. `size` is the number of inflated bytes of the whole file.
std::uint64_t largest_distance(const SeekPoints& points, std::uint64_t size);

// Returns the number of bytes that a point takes when it is encoded.
std::size_t encoded_size(const SeekPoint& point);

// Returns the points as bytes, which are the first part of the index of a compressed file.
Bytes encode(const SeekPoints& points);
// True if `bytes` begin as encode() of seek points does.
bool begins_with_seek_points(std::span<const std::byte> bytes);
// Decodes the points at the front of `bytes` and moves `bytes` after them. If they are not valid, returns a half
// sentence that says what is wrong, and `bytes` is unchanged. Safe for any bytes.
std::variant<SeekPoints, std::string> take_seek_points(std::span<const std::byte>& bytes);

// Returns an inflater that begins at the point: the caller must pass it the bytes of the file from point.in on. If the
// window is damaged, it may inflate wrong bytes or report damage.
Inflater inflater_at(Compression compression, const SeekPoint& point);

}  // namespace carrack::data
