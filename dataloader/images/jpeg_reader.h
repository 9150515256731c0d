// Reads JPEGs with libjpeg-turbo, which TensorFlow uses too, so the pixels are the same. Rows above the box and columns
// outside of it are not turned into pixels; rows below it are not decoded at all. A JPEG with several scans, such as a
// progressive one, is the exception: all its scans are read, and its coefficients stored, before the first row.
#pragma once

#include <memory>
#include <vector>

#include "dataloader/images/image_reader.h"

namespace carrack::data {

class JpegReader : public ImageReader {
 public:
  // An image with more scans is Undecodable: each scan takes time for the whole image, and encoders write about ten.
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
  std::size_t begin_ = 0;  // byte of a row where the box begins
  std::size_t width_ = 0;  // pixels of the box
  std::uint32_t end_ = 0;  // the row after the box
  std::vector<std::uint8_t> row_;
  std::vector<std::uint8_t> rgb_;  // a row converted from CMYK; else empty
};

}  // namespace carrack::data
