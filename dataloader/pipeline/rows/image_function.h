// Decodes the images of a column to pixels, all of one size, optionally cropped and mirrored at random. Random draws
// are a function of the seed, the epoch and the record, so that any process makes the same ones.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "dataloader/images/crop.h"
#include "dataloader/images/image.h"
#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// The range of crops to draw from, as in torchvision's RandomResizedCrop: shares of the area, and width by height.
struct RandomCropRange {
  double min_area = 0.08, max_area = 1;
  double min_aspect = 3.0 / 4, max_aspect = 4.0 / 3;
};

struct ImageFunction {
  std::string column = "image/encoded";
  ImageRequest request = {};  // needs a number of channels, and a size unless the crop is a Box
  std::variant<WholeImage, CentralFraction, Box, RandomCropRange> crop = WholeImage();
  bool mirror = false;  // half of the images, drawn at random
  std::uint64_t seed = 0;
  bool as_bytes = false;  // uint8 pixels; false: float32
};

// Throws an Error for options that make no sense. The function that it returns moves rows whose image cannot be decoded
// to `lost`. It throws an Error if the column does not hold one string for each row, or if something is drawn at random
// and the rows have no places.
RowsFunction decode_images(const ImageFunction& options);

}  // namespace carrack::data
