// ImageDecoder: decodes, crops, resizes and normalizes a JPEG or PNG straight into a row of a batch, as
// tf.io.decode_image and tf.image.resize do in separate steps. It works on one row of pixels after another, so most
// images are never completely in memory. Any bytes, however damaged, result in either the row or an Undecodable
// (image.h). The result does not depend on images decoded before.
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

// The shape of a decoded image; its order in memory is ImageRequest::layout.
struct ImageShape {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::uint32_t channels = 0;
  // The number of values: how many elements the ImageRow must have.
  std::size_t values() const { return std::size_t{height} * width * channels; }
  bool operator==(const ImageShape&) const = default;
};

// Decodes one image after another and reuses its buffers. Not thread-safe: use one decoder for each thread.
class ImageDecoder {
 public:
  // Throws Refused for a request that no image can fulfil: `channels` is 2 or above 4, a size is 0, or a scale or
  // offset is not finite.
  explicit ImageDecoder(const ImageRequest& request);

  // Reads only the header of the encoded image `bytes`: returns what it says, or why the image cannot be decoded,
  // because it is not a JPEG or PNG, its header is damaged, or it exceeds the limits of the request. decode() does not
  // require this call. Here and in decode(), `bytes` is used only during the call.
  std::variant<ImageInfo, Undecodable> info_of(std::span<const std::byte> bytes);
  // Returns the shape of what decode() will write for such an image, so that the caller can allocate the memory. It is
  // the same for all images if the request has a size and its `channels` is not 0. Returns nullopt for a Box that is
  // empty or not within the image. Throws Refused if another crop has a number out of its range.
  std::optional<ImageShape> shape_of(const ImageInfo& image, const Crop& crop) const;
  // Decodes the encoded image `bytes` into `into`. Returns nullopt on success, or why the image cannot be decoded; the
  // content of `into` is then unspecified. It is also Undecodable if the size of `into` is not shape_of()'s values(),
  // or if cut.crop is a Box that is empty or not within the image. Throws Refused if another crop has a number out of
  // its range.
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
