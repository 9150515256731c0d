// Computes from which pixels of an image the pixels of a resized image are computed, separately for each axis (height
// and width). For bilinear and nearest interpolation that is a Tap for each new pixel, for the area method a Cover.
// Resampler then applies them. The arithmetic is TensorFlow's: pixels are squares, and the new pixels together cover
// the same area as the old ones. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace carrack::data {

// A part of the source axis, which is stretched or shrunk to the whole new axis. {.pixels = 10, .begin = 2, .length =
// 4, .into = 8} doubles the size of the pixels 2 to 5.
struct Stretch {
  std::uint32_t pixels = 0;  // number of pixels on the whole source axis; not 0
  float begin = 0;           // where the part begins, in source pixels, from 0
  float length = 0;          // length of the part, in source pixels
  std::uint32_t into = 0;    // number of pixels on the new axis; not 0
};

// How a new pixel is computed from two source pixels: lower + (upper - lower) * weight. They are the same pixel or
// neighbours.
struct Tap {
  std::uint32_t lower = 0;  // index of a source pixel
  std::uint32_t upper = 0;  // index of the same or the next source pixel
  float weight = 0;         // from 0 to 1
};

// Each function below returns stretch.into elements, one for each new pixel, in ascending order.
std::vector<Tap> bilinear_taps(Stretch stretch);
std::vector<Tap> nearest_taps(Stretch stretch);

// The source pixels that a new pixel covers, for Interpolation::area. It may cover only a part of the first and of the
// last one, which may be the same pixel. The value of the new pixel is the mean of what it covers: first_weight times
// the first pixel, plus all pixels between, plus last_weight times the last pixel; all that times `scale`.
struct Cover {
  std::uint32_t first = 0;  // index of a source pixel
  std::uint32_t last = 0;   // index of a source pixel, inclusive
  float first_weight = 0;
  float last_weight = 0;  // 0 if `last` is `first`
  float scale = 0;
};

std::vector<Cover> covers(Stretch stretch);  // for Interpolation::area

}  // namespace carrack::data
