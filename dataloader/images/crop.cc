#include "dataloader/images/crop.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

// Throws Refused unless `holds`. Callers write the condition so that it is false for NaN.
void require(bool holds, const char* name, double value, const char* range) {
  if (!holds) throw Refused(std::string("a crop's ") + name + " is " + std::to_string(value) + "; it must be " + range);
}

// Computes the box of pixels that each kind of crop selects in an image of this size.
struct BoxIn {
  ImageSize image;

  Box operator()(WholeImage) const { return {0, 0, image.height, image.width}; }

  // The margins are computed in double and truncated to whole pixels, as in TensorFlow.
  Box operator()(CentralFraction central) const {
    require(central.fraction > 0 && central.fraction <= 1, "fraction", central.fraction, "above 0 and at most 1");
    const auto margin = [&](std::uint32_t size) {
      const auto exact = static_cast<std::uint32_t>((size - size * central.fraction) / 2);
      return std::min(exact, (size - 1) / 2);  // a fraction near 0 leaves one or two pixels
    };
    const std::uint32_t top = margin(image.height), left = margin(image.width);
    return {top, left, image.height - 2 * top, image.width - 2 * left};
  }

  std::optional<Box> operator()(const Box& box) const {
    const bool fits = box.height > 0 && box.width > 0 && std::uint64_t{box.top} + box.height <= image.height &&
                      std::uint64_t{box.left} + box.width <= image.width;
    return fits ? std::optional(box) : std::nullopt;
  }

  // A box of the requested area and aspect may be wider or higher than the image. It is then made smaller, with the
  // same aspect.
  Box operator()(const RandomCrop& crop) const {
    require(crop.area > 0 && crop.area <= 1, "area", crop.area, "above 0 and at most 1");
    require(crop.aspect > 0 && std::isfinite(crop.aspect), "aspect", crop.aspect, "above 0");
    require(crop.from_top >= 0 && crop.from_top <= 1, "from_top", crop.from_top, "from 0 to 1");
    require(crop.from_left >= 0 && crop.from_left <= 1, "from_left", crop.from_left, "from 0 to 1");
    const double area = crop.area * image.height * image.width;
    const double width = std::min({std::sqrt(area * crop.aspect), image.height * crop.aspect, double(image.width)});
    const auto pixels = [](double size, std::uint32_t most) {
      return static_cast<std::uint32_t>(std::clamp(std::round(size), 1.0, double(most)));
    };
    Box box = {0, 0, pixels(width / crop.aspect, image.height), pixels(width, image.width)};
    box.top = static_cast<std::uint32_t>(std::round((image.height - box.height) * crop.from_top));
    box.left = static_cast<std::uint32_t>(std::round((image.width - box.width) * crop.from_left));
    return box;
  }
};

}  // namespace

std::optional<Box> box_of(const Crop& crop, ImageSize image) {
  return std::visit([&](const auto& kind) -> std::optional<Box> { return BoxIn{image}(kind); }, crop);
}

}  // namespace carrack::data
