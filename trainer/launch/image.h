// What a manifest asks of an encoded image that each record holds: which of its pixels become the float32 values of a
// feature, and how. docs/formats/image.md says which images are decoded.
#pragma once

#include <cstdint>

#include "trainer/launch/spellings.h"

namespace carrack::train {

enum class ImageLayout { nhwc, nchw };  // Which of height, width and channel lie together.

enum class CropKind { whole, central, random };

struct Crop {
  CropKind kind = CropKind::whole;
  double fraction = 0.875;   // of Central: of both height and width
  double least_area = 0.08;  // of Random: of the image's area
  bool operator==(const Crop&) const = default;
};

struct Image {
  std::uint16_t height = 0;  // to which it is resized
  std::uint16_t width = 0;
  int channels = 3;  // 1 is grey, 3 is RGB
  ImageLayout layout = ImageLayout::nhwc;
  Crop crop = {};
  bool mirror = false;  // left to right: one of two, drawn anew in each epoch
  double black = 0;     // what the least value of a channel becomes
  double white = 255;   // and the greatest
  bool operator==(const Image&) const = default;
};

constexpr std::int64_t values_in(const Image& image) {
  return std::int64_t{image.height} * image.width * image.channels;
}

// Whether its pixels depend on the record's place in the epoch.
constexpr bool is_drawn(const Image& image) {
  return image.mirror || image.crop.kind == CropKind::random;
}

template <>
inline constexpr Spelling<ImageLayout> spellings<ImageLayout>[] = {{ImageLayout::nhwc, "NHWC"},
                                                                   {ImageLayout::nchw, "NCHW"}};
template <>
inline constexpr Spelling<CropKind> spellings<CropKind>[] = {
    {CropKind::whole, "Whole"}, {CropKind::central, "Central"}, {CropKind::random, "Random"}};

}  // namespace carrack::train
