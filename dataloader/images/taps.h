// From which source pixels, along one axis, the pixels of a resized image are computed, in TensorFlow's arithmetic:
// pixels are squares, and the new ones together cover the same area as the old ones. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace carrack::data {

// A piece of the source axis, which becomes the whole new axis.
struct Stretch {
  std::uint32_t pixels = 0;  // on the whole source axis
  float begin = 0;           // of the piece, in source pixels
  float length = 0;          // of the piece, in source pixels
  std::uint32_t into = 0;    // pixels on the new axis
};

// A new pixel is lower + (upper - lower) * weight; the two source pixels are the same or neighbours.
struct Tap {
  std::uint32_t lower = 0;  // number of a source pixel
  std::uint32_t upper = 0;  // number of a source pixel
  float weight = 0;
};

// Each function below returns one element for each new pixel, in order.
std::vector<Tap> bilinear_taps(Stretch stretch);
std::vector<Tap> nearest_taps(Stretch stretch);

// The source pixels that a new pixel covers. It may cover only a part of the first and of the last one, which may be
// the same. The new pixel is the mean: the sum of the pixels, of which the first and last are weighted, times `scale`.
struct Cover {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  float first_weight = 0;
  float last_weight = 0;  // 0 if `last` is `first`
  float scale = 0;
};

std::vector<Cover> covers(Stretch stretch);

}  // namespace carrack::data
