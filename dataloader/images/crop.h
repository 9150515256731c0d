// Which part of an image is looked at. What is random about it is drawn by the caller, so that all of it is a function
// of its arguments.
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

// The middle, this much of both height and width, as tf.image.central_crop takes it.
struct CentralFraction {
  double fraction = 1;
};

// A part of any place and shape, for training: its area as a part of the image's, its width by its height, and where it
// lies from the top (0) to the bottom (1) and from left to right. One that is too high or too wide is made smaller in
// its shape until it fits.
struct RandomCrop {
  double area = 1;
  double aspect = 1;
  double from_top = 0.5;
  double from_left = 0.5;
};

using Crop = std::variant<WholeImage, CentralFraction, Box, RandomCrop>;

// What is done to one image of many; the same request serves all of them.
struct Cut {
  Crop crop = WholeImage();
  bool mirrored = false;  // left to right
};

// At least a pixel, within the image; nothing for a Box that is not. Throws Refused for numbers that make no sense.
std::optional<Box> box_of(const Crop& crop, ImageSize image);

}  // namespace carrack::data
