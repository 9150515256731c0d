// Encoded images for tests, made by the libraries' own encoders of one picture, so that all kinds of them exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carrack::data {

using Encoded = std::vector<std::byte>;

// A value from 0 to 255 for each place and channel: slopes, an edge, and some noise.
std::uint8_t picture(std::uint32_t row, std::uint32_t column, std::uint32_t channel);

struct JpegMade {
  std::uint32_t height = 1;
  std::uint32_t width = 1;
  enum class Colours { grey, ycc, rgb, cmyk, ycck, unknown } colours = Colours::ycc;
  int across = 2;  // pixels that share a colour
  int down = 2;
  int quality = 90;
  bool progressive = false;
  int restart_rows = 0;  // of blocks, after which decoding begins anew
  bool arithmetic = false;
  bool adobe = true;  // of CMYK, has the marker by which it counts as inverted
};
Encoded jpeg_of(const JpegMade& made);

struct PngMade {
  std::uint32_t height = 1;
  std::uint32_t width = 1;
  enum class Colours { grey = 0, rgb = 2, palette = 3, grey_opacity = 4, rgb_opacity = 6 } colours = Colours::rgb;
  int bits = 8;  // of a channel
  bool interlaced = false;
  bool transparent = false;  // One colour, or of a palette some, is not to be seen.
  double gamma = 0;          // 0: it does not say
};
Encoded png_of(const PngMade& made);

// The front of an image that is cut off.
inline Encoded front(const Encoded& image, std::size_t size) {
  return {image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size)};
}

}  // namespace carrack::data
