// Decodes an image straight into a row of a batch: its rows of pixels are decoded, cropped, resized and converted one
// by one, without an image in between. Any bytes result in either the row or an Undecodable, and the result does not
// depend on images decoded before.
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

// Reuses its buffers for the next image. Not thread-safe: use one decoder for each thread.
class ImageDecoder {
 public:
  // Throws Refused for a request that no image can fulfil.
  explicit ImageDecoder(const ImageRequest& request);

  // What the image's header says, or why the image cannot be decoded as far as the header tells: it is no image, or is
  // beyond the limits of the request. Decodes no pixels. decode() does not require this call.
  std::variant<ImageInfo, Undecodable> info_of(std::span<const std::byte> bytes);
  // The shape of the row that decode() writes. It is the same for all images if the request has a size and a number of
  // channels. nullopt for a Box that does not lie within the image. Throws Refused for a crop with numbers out of
  // range.
  std::optional<ImageShape> shape_of(const ImageInfo& image, const Crop& crop) const;
  // Writes the image to `into` and returns nullopt, or returns why that is impossible; the content of `into` is then
  // unspecified. Also Undecodable: a Box that does not lie within the image, and an `into` without exactly as many
  // elements as shape_of() has values. Throws Refused for a crop with numbers out of range.
  std::optional<Undecodable> decode(std::span<const std::byte> bytes, const Cut& cut, ImageRow into);

 private:
  std::optional<Undecodable> start(const ImageInfo& image, const Cut& cut, const Box& box, const ImageShape& shape);
  std::optional<Undecodable> copy(std::span<std::uint8_t> into, const ImageShape& shape);
  template <typename Value>
  std::optional<Undecodable> fill(std::span<Value> into, const ImageShape& shape);

  ImageRequest request_;
  bool scaled_ = false;  // The request has a scale or an offset.
  JpegReader jpeg_;
  PngReader png_;
  ImageReader* reader_ = nullptr;  // jpeg_ or png_, whichever the open image is
  Resampler resampler_;
  std::vector<float> row_, scale_, offset_;
  std::vector<std::uint8_t> bytes_;  // a row
};

}  // namespace carrack::data
