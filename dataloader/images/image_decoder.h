// From an encoded image straight into a row of a batch: decoded, cropped, resized and converted row by row, so that no
// image lies in memory between. Any bytes give the row or an Undecodable, and the same ones whatever was decoded
// before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "dataloader/images/crop.h"
#include "dataloader/images/image.h"
#include "dataloader/images/jpeg_reader.h"
#include "dataloader/images/png_reader.h"
#include "dataloader/images/resampler.h"

namespace carrack::data {

struct ImageShape {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::uint32_t channels = 0;
  std::size_t values() const { return std::size_t{height} * width * channels; }
  bool operator==(const ImageShape&) const = default;
};

// It keeps the memory that rows took for those of the next image: one decoder a thread.
class ImageDecoder {
 public:
  // Throws Refused where what is asked for makes no sense.
  explicit ImageDecoder(const ImageRequest& request);

  // What the bytes say before the first pixel.
  std::variant<ImageInfo, Undecodable> info_of(std::span<const std::byte> bytes);
  // Of what is asked for of an image: the same for all where the request has a size and a number of channels. Nothing
  // where the crop does not lie within it.
  std::optional<ImageShape> shape_of(const ImageInfo& image, const Crop& crop) const;
  // The row must be as long as the shape says, and after an Undecodable holds anything. Throws Refused for numbers of a
  // crop that make no sense.
  std::optional<Undecodable> decode(std::span<const std::byte> bytes, const Cut& cut, ImageRow into);

 private:
  std::optional<Undecodable> start(const ImageInfo& image, const Cut& cut, const Box& box, const ImageShape& shape);
  std::optional<Undecodable> copy(std::span<std::uint8_t> into, const ImageShape& shape);
  template <typename Value>
  std::optional<Undecodable> fill(std::span<Value> into, const ImageShape& shape);

  ImageRequest request_;
  bool scaled_ = false;
  JpegReader jpeg_;
  PngReader png_;
  ImageReader* reader_ = nullptr;  // of the image that is open
  Resampler resampler_;
  std::vector<float> row_, scale_, offset_;
  std::vector<std::uint8_t> bytes_;  // of a row
};

}  // namespace carrack::data
