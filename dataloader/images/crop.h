// Which part of an image ImageDecoder uses: all of it, its middle, a rectangle, or a random part for augmentation.
// Pure: for a random crop the caller draws the random numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "dataloader/images/image.h"

namespace carrack::data {

// A rectangle, in pixels of an image; row 0 is at the top.
struct Box {
  std::uint32_t top = 0;
  std::uint32_t left = 0;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  bool operator==(const Box&) const = default;
};

struct WholeImage {};

// The middle of the image: this fraction of its height and of its width, above 0 and at most 1, as
// tf.image.central_crop computes it.
struct CentralFraction {
  double fraction = 1;
};

// A rectangle of any position, area and aspect, as in torchvision's RandomResizedCrop. If it would be higher or
// wider than the image, it is shrunk until it fits, with the same aspect.
struct RandomCrop {
  double area = 1;         // as a fraction of the image's area; above 0 and at most 1
  double aspect = 1;       // width / height; above 0
  double from_top = 0.5;   // position, from 0 (at the top) to 1 (at the bottom)
  double from_left = 0.5;  // position, from 0 (at the left) to 1 (at the right)
};

using Crop = std::variant<WholeImage, CentralFraction, Box, RandomCrop>;

// What is done to one image; it may differ from image to image. An ImageRequest applies to all images of a decoder.
struct CropAndMirror {
  Crop crop = WholeImage();
  bool mirrored = false;  // left and right are swapped
};

// Returns the rectangle that `crop` selects in an image of this size, which must not be empty: at least one pixel,
// within the image. Returns nullopt for a Box that is empty or does not lie within the image. Throws Refused if a
// number of a CentralFraction or RandomCrop is out of its range.
std::optional<Box> box_of(const Crop& crop, ImageSize image);

}  // namespace carrack::data
