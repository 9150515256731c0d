// Which source pixels, along one axis, the pixels of a resized image are computed from, in TensorFlow's arithmetic:
// pixels are squares, and the new ones cover the same area as the old ones. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace carrack::data {

// A piece of the source axis that becomes the whole new axis.
struct Stretch {
  std::uint32_t pixels = 0;  // on the source axis
  float begin = 0;           // of the piece, in source pixels
  float length = 0;          // of the piece, in source pixels
  std::uint32_t into = 0;    // pixels on the new axis
};

// A new pixel is lower + (upper - lower) * weight; the two source pixels are the same or neighbours.
struct Tap {
  std::uint32_t lower = 0;
  std::uint32_t upper = 0;
  float weight = 0;
};

std::vector<Tap> bilinear_taps(Stretch stretch);
std::vector<Tap> nearest_taps(Stretch stretch);

// The source pixels that a new pixel covers; it may cover the first and the last one, which may be the same, in part.
// The sum of the pixels, the first and last one weighted, times `scale` is their mean.
struct Cover {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  float first_weight = 0;
  float last_weight = 0;  // 0 if `last` is `first`
  float scale = 0;
};

std::vector<Cover> covers(Stretch stretch);

}  // namespace carrack::data
