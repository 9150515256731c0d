// ImageDecoder: decodes an image straight into a row of a batch. Its rows of pixels are decoded, cropped, resized and
// converted one by one, so most images are never completely in memory. Any bytes, however damaged, result in either the
// row or an Undecodable. The result does not depend on images decoded before.
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

// Decodes one image after another and reuses its buffers. Not thread-safe: use one decoder for each thread.
class ImageDecoder {
 public:
  // Throws Refused for a request that no image can fulfil: 2 or more than 4 channels, a size of 0, or a scale or offset
  // that is not finite.
  explicit ImageDecoder(const ImageRequest& request);

  // Returns what the image's header says, or why the image cannot be decoded: it is not a JPEG or PNG, its header is
  // damaged, or it exceeds the limits of the request. Decodes no pixels. decode() does not require this call. Here and
  // in decode(), `bytes` is used only during the call.
  std::variant<ImageInfo, Undecodable> info_of(std::span<const std::byte> bytes);
  // Returns the shape of the image that decode() writes. It is the same for all images if the request has a size and
  // its `channels` is not 0. Returns nullopt for a Box that is empty or not within the image. Throws Refused if another
  // crop has a number out of its range.
  std::optional<ImageShape> shape_of(const ImageInfo& image, const Crop& crop) const;
  // Writes the image to `into` and returns nullopt, or returns why that is impossible; the content of `into` is then
  // unspecified. If cut.crop is a Box that is empty or not within the image, or the size of `into` is not shape_of()'s
  // values(), that is Undecodable, too. Throws Refused if another crop has a number out of its range.
  std::optional<Undecodable> decode(std::span<const std::byte> bytes, const CropAndMirror& cut, ImageRow into);

 private:
  std::optional<Undecodable> start(const ImageInfo& image, const CropAndMirror& cut, const Box& box,
                                   const ImageShape& shape);
  // Writes the rows of reader_ unchanged.
  std::optional<Undecodable> copy(std::span<std::uint8_t> into, const ImageShape& shape);
  template <typename Value>
  std::optional<Undecodable> fill(std::span<Value> into, const ImageShape& shape);

  ImageRequest request_;
  bool scaled_ = false;  // The request has a scale other than 1 or an offset other than 0.
  JpegReader jpeg_;
  PngReader png_;
  ImageReader* reader_ = nullptr;  // jpeg_ or png_, by the format of the open image
  Resampler resampler_;
  std::vector<float> row_, scale_, offset_;  // one element for each value of a row
  std::vector<std::uint8_t> bytes_;          // a row of values, rounded
};

}  // namespace carrack::data
