// JpegReader: the ImageReader for JPEGs; image_reader.h describes its functions. It uses libjpeg-turbo, which
// TensorFlow uses too, so the pixels are the same. Decoding a small box is fast: most rows above the box and columns
// outside of it are not turned into pixels, and rows below it are not decoded at all. A JPEG with several scans, such
// as a progressive one, is the exception: start() reads all its scans and stores its coefficients.
#pragma once

#include <memory>
#include <vector>

#include "dataloader/images/image_reader.h"

namespace carrack::data {

class JpegReader : public ImageReader {
 public:
  // An image with more scans is Undecodable, because each scan takes time for the whole image. Encoders write about ten
  // scans.
  static constexpr int scans_max = 500;

  JpegReader();
  ~JpegReader() override;

  std::variant<ImageInfo, Undecodable> open(std::span<const std::byte> bytes, const ImageRequest& request) override;
  std::optional<Undecodable> start(const RowRequest& rows) override;
  std::variant<const std::uint8_t*, Undecodable> next() override;
  std::optional<Undecodable> finish() override;

 private:
  struct Library;

  Undecodable fault() const;

  std::unique_ptr<Library> library_;
  std::size_t begin_ = 0;          // offset in bytes, within a decoded row, where the box begins
  std::size_t width_ = 0;          // width of the box in pixels
  std::uint32_t end_ = 0;          // number of the row after the box
  std::vector<std::uint8_t> row_;  // the last decoded row
  std::vector<std::uint8_t> rgb_;  // the last row, converted from CMYK; empty for other images
};

}  // namespace carrack::data
