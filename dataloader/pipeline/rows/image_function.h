// Encoded images of a column become pixels, all of one size; with a part of each that is drawn anew in every epoch, if
// so asked. Which part is a function of the seed, the epoch and the record, so that it does not matter who decodes it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "dataloader/images/crop.h"
#include "dataloader/images/image.h"
#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

// As torchvision's RandomResizedCrop draws them: the part of the area, and width by height.
struct DrawnCrop {
  double least_area = 0.08, most_area = 1;
  double least_aspect = 3.0 / 4, most_aspect = 4.0 / 3;
};

struct ImageFunction {
  std::string column = "image/encoded";
  ImageRequest request = {};  // with a size, unless the crop is a Box
  std::variant<WholeImage, CentralFraction, Box, DrawnCrop> crop = WholeImage();
  bool mirror = false;  // one of two images, drawn
  std::uint64_t seed = 0;
  bool as_bytes = false;  // else floats
};

// Rows whose image cannot be decoded are lost. Throws an Error for what makes no sense.
RowsFunction decode_images(const ImageFunction& asked);

}  // namespace carrack::data
