// The settings of a feature whose records have encoded images, such as JPEG: how an image becomes float32 values. They
// are a part of the manifest (Feature::image in config.h); there are no pixels here. docs/formats/image.md says which
// images can be decoded.
#pragma once

#include <cstdint>

#include "trainer/launch/spellings.h"

namespace carrack::train {

// The order of the values: for each pixel its channels (nhwc), or for each channel its pixels (nchw).
enum class ImageLayout { nhwc, nchw };
template <>
inline constexpr Spelling<ImageLayout> spellings<ImageLayout>[] = {{ImageLayout::nhwc, "NHWC"},
                                                                   {ImageLayout::nchw, "NCHW"}};

// whole: no crop. central: the middle of the image. random: a part that is drawn anew in each epoch. Evaluations and
// predictions use the whole image instead of a random part, and do not mirror it.
enum class CropKind { whole, central, random };
template <>
inline constexpr Spelling<CropKind> spellings<CropKind>[] = {
    {CropKind::whole, "Whole"}, {CropKind::central, "Central"}, {CropKind::random, "Random"}};

struct Crop {
  CropKind kind = CropKind::whole;
  double fraction = 0.875;  // for central: the part of the height, and of the width, that is used; from 0 to 1
  double min_area = 0.08;   // for random: the minimum of the drawn area, as a part of the image's; from 0 to 1
  bool operator==(const Crop&) const = default;
};

struct Image {
  std::uint16_t height = 0;  // pixels, after resizing
  std::uint16_t width = 0;   // pixels, after resizing
  int channels = 3;          // 1 is grey, 3 is RGB
  ImageLayout layout = ImageLayout::nhwc;
  Crop crop = {};
  bool mirror = false;  // swaps left and right with probability 1/2, drawn again in each epoch
  double black = 0;     // the float32 value of a channel's lowest level
  double white = 255;   // the float32 value of a channel's highest level
  bool operator==(const Image&) const = default;
};

// Returns the number of float32 values for each record: height * width * channels.
constexpr std::int64_t value_count(const Image& image) {
  return std::int64_t{image.height} * image.width * image.channels;
}

// Returns whether the values depend on random draws, which differ between epochs.
constexpr bool is_random(const Image& image) {
  return image.mirror || image.crop.kind == CropKind::random;
}

}  // namespace carrack::train
