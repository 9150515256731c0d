// decode_images(): a function for Dataset::map() and the trainer that decodes a column of JPEG or PNG images to pixels
// of one size, optionally cropped and mirrored at random. The random draws depend only on the seed, the name of the
// column and the row's place (its number in the epoch, and the epoch), so all processes draw the same for a row.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "dataloader/images/crop.h"
#include "dataloader/images/image.h"
#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// The ranges from which a random crop is drawn, as in torchvision's RandomResizedCrop. Areas are fractions of the
// image's area, above 0 and at most 1. An aspect is width / height, above 0.
struct RandomCropRange {
  double min_area = 0.08, max_area = 1;
  double min_aspect = 3.0 / 4, max_aspect = 4.0 / 3;
};

struct ImageFunction {
  std::string column = "image/encoded";  // one encoded image (JPEG or PNG) in each row
  ImageRequest request = {};             // `channels` must not be 0, and `size` must be set unless `crop` is a Box
  std::variant<WholeImage, CentralFraction, Box, RandomCropRange> crop = WholeImage();
  bool mirror = false;  // true: swaps left and right of about half of the images, drawn at random
  std::uint64_t seed = 0;
  bool as_bytes = false;  // true: pixels are uint8; false: float32
};

// Returns a function that replaces the strings of the column by pixels: each row is one item of shape [height, width,
// channels], or [channels, height, width] with Layout::channels_first. decode_images() throws an Error if `request`
// makes no sense, or lacks the channels or the size. The returned function moves rows whose image cannot be decoded, or
// does not contain the Box, to Rows::lost. It throws Refused if a number of a CentralFraction or RandomCropRange is out
// of its range, which is not checked earlier. It throws an Error if the column is missing or does not have one string
// for each row, or if something is drawn at random and the rows have no places.
RowsFunction decode_images(const ImageFunction& options);

}  // namespace carrack::data
