// Where the pixels of a resized image come from, along one axis, in TensorFlow's arithmetic: pixels are squares, and
// the new ones cover the same area as the old.
#pragma once

#include <cstdint>
#include <vector>

namespace carrack::data {

// A piece of an axis that is stretched over the whole of a new one, in pixels of the old.
struct Stretch {
  std::uint32_t pixels = 0;  // that there are
  float begin = 0;
  float length = 0;
  std::uint32_t into = 0;  // pixels
};

// Between two pixels, at most one apart: lower + (upper - lower) * weight.
struct Tap {
  std::uint32_t lower = 0;
  std::uint32_t upper = 0;
  float weight = 0;
};

std::vector<Tap> bilinear_taps(Stretch stretch);
std::vector<Tap> nearest_taps(Stretch stretch);

// The pixels that a new one covers, the first and the last one (which may be the same) as far as it does; weighed so,
// and by `scale`, their sum is their mean.
struct Cover {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  float first_weight = 0;
  float last_weight = 0;  // 0 where it is the first one
  float scale = 0;
};

std::vector<Cover> covers(Stretch stretch);

}  // namespace carrack::data
