// Decodes the images of a column to pixels, all of one size, optionally cropped and mirrored at random. The random
// draws depend only on the seed, the name of the column and the row's place, so any process makes the same ones.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "dataloader/images/crop.h"
#include "dataloader/images/image.h"
#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// The random crops, as in torchvision's RandomResizedCrop. Areas are fractions of the image's area; aspects are width
// divided by height.
struct RandomCropRange {
  double min_area = 0.08, max_area = 1;
  double min_aspect = 3.0 / 4, max_aspect = 4.0 / 3;
};

struct ImageFunction {
  std::string column = "image/encoded";
  ImageRequest request = {};  // must have channels, not 0, and a size unless the crop is a Box
  std::variant<WholeImage, CentralFraction, Box, RandomCropRange> crop = WholeImage();
  bool mirror = false;  // mirrors half of the images, left to right, drawn at random
  std::uint64_t seed = 0;
  bool as_bytes = false;  // true: pixels are uint8; false: float32
};

// Returns a function that replaces the column by its pixels, in the layout of `request`. Throws an Error if `request`
// makes no sense, or lacks the channels or a size that it needs. The numbers of `crop` are not checked here.
// The function moves rows whose image cannot be decoded, or does not contain the Box, to `lost`. It throws Refused if a
// crop has numbers out of range. It throws an Error if the column is missing or does not hold one string for each row,
// or if something is drawn at random and the rows have no places.
RowsFunction decode_images(const ImageFunction& options);

}  // namespace carrack::data
