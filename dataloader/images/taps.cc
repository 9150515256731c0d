#include "dataloader/images/taps.h"

#include <algorithm>
#include <cmath>

namespace carrack::data {
namespace {

// Returns how many source pixels one new pixel covers.
float scale_of(Stretch stretch) {
  return stretch.length / static_cast<float>(stretch.into);
}

// Returns the source pixel at a position; for a position outside the image, the pixel at its edge.
std::uint32_t pixel_at(float place, Stretch stretch) {
  return static_cast<std::uint32_t>(std::clamp(place, 0.0f, static_cast<float>(stretch.pixels - 1)));
}

}  // namespace

std::vector<Tap> bilinear_taps(Stretch stretch) {
  std::vector<Tap> taps(stretch.into);
  for (std::uint32_t i = 0; i < stretch.into; ++i) {
    const float place = (static_cast<float>(i) + 0.5f) * scale_of(stretch) + stretch.begin - 0.5f;
    const float before = std::floor(place);
    taps[i] = {pixel_at(before, stretch), pixel_at(std::ceil(place), stretch), place - before};
  }
  return taps;
}

std::vector<Tap> nearest_taps(Stretch stretch) {
  std::vector<Tap> taps(stretch.into);
  for (std::uint32_t i = 0; i < stretch.into; ++i) {
    const float place = (static_cast<float>(i) + 0.5f) * scale_of(stretch) + stretch.begin;
    taps[i].lower = taps[i].upper = pixel_at(std::floor(place), stretch);
  }
  return taps;
}

std::vector<Cover> covers(Stretch stretch) {
  std::vector<Cover> made(stretch.into);
  for (std::uint32_t i = 0; i < stretch.into; ++i) {
    const float begin = static_cast<float>(i) * scale_of(stretch) + stretch.begin;
    const float end = static_cast<float>(i + 1) * scale_of(stretch) + stretch.begin;
    const std::uint32_t first = pixel_at(std::floor(begin), stretch);
    const std::uint32_t last = std::max(first, pixel_at(std::ceil(end) - 1, stretch));
    const auto covered = [&](std::uint32_t pixel) {
      return std::min(static_cast<float>(pixel + 1), end) - std::max(static_cast<float>(pixel), begin);
    };
    made[i] = {first, last, covered(first), first == last ? 0 : covered(last), 1 / scale_of(stretch)};
  }
  return made;
}

}  // namespace carrack::data
