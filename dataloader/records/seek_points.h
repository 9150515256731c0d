// The places at which a compressed file can be inflated without what stands before them, docs/formats/index.md. They
// belong to one version of the file. Decoding is safe for any bytes.
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
  std::uint64_t in = 0;   // the first byte of the file that is not needed for what stands before the point
  std::uint64_t out = 0;  // the number of inflated bytes before the point
  unsigned bits = 0;      // the number of upper bits of the byte before `in` that belong behind the point, less than 8
  unsigned value = 0;     // of those bits
  Bytes window = {};      // the inflated bytes before it, as a ZLIB stream; empty at the beginning of a stream

  bool begins_stream() const { return window.empty(); }
  bool operator==(const SeekPoint&) const = default;
};

struct SeekPoints {
  Compression compression = Compression::gzip;  // not `none`
  std::uint64_t file_size = 0;                  // of the compressed file
  // In the order of the file, no two with the same `in` or `out`. The first one is its beginning, and is not encoded.
  std::vector<SeekPoint> points = {SeekPoint()};

  bool operator==(const SeekPoints&) const = default;
};

// The window of a point must not be larger: that of deflate is 32 KiB before it is compressed.
constexpr std::size_t window_bytes_max = std::size_t{36} << 10;

// The most inflated bytes between two points, or behind the last one, of `size` in all.
std::uint64_t distance_max(const SeekPoints& points, std::uint64_t size);

// The bytes that a point takes when it is encoded.
std::size_t encoded_size(const SeekPoint& point);

Bytes encode(const SeekPoints& points);
// True if the bytes begin as seek points do.
bool begins_with_seek_points(std::span<const std::byte> bytes);
// Decodes the points at the front of `bytes`, and removes them. Returns a sentence that says what is wrong with them.
std::variant<SeekPoints, std::string> take_seek_points(std::span<const std::byte>& bytes);

// An inflater that goes on with the byte `in` of the file. If the window is damaged, it may inflate other bytes.
Inflater inflater_at(Compression compression, const SeekPoint& point);

}  // namespace carrack::data
