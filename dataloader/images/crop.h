// Which part of an image is used. Pure: the random numbers of a random crop are drawn by the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "dataloader/images/image.h"

namespace carrack::data {

// In pixels.
struct Box {
  std::uint32_t top = 0;
  std::uint32_t left = 0;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  bool operator==(const Box&) const = default;
};

struct WholeImage {};

// The middle, with this fraction of both height and width, as tf.image.central_crop computes it.
struct CentralFraction {
  double fraction = 1;
};

// A part of any place and shape, for training: its area as a fraction of the image's, its width divided by its height,
// and its place from the top (0) to the bottom (1) and from the left (0) to the right (1). A crop that is too high or
// too wide is shrunk, with its shape, until it fits.
struct RandomCrop {
  double area = 1;
  double aspect = 1;
  double from_top = 0.5;
  double from_left = 0.5;
};

using Crop = std::variant<WholeImage, CentralFraction, Box, RandomCrop>;

// What is done to one image, beside the ImageRequest that applies to all.
struct Cut {
  Crop crop = WholeImage();
  bool mirrored = false;  // left to right
};

// The box of a crop: at least one pixel, within the image. nullopt for a Box that does not lie within the image. Throws
// Refused for numbers out of range.
std::optional<Box> box_of(const Crop& crop, ImageSize image);

}  // namespace carrack::data
