// JPEGs, by libjpeg-turbo: the same arithmetic as TensorFlow's, so the same pixels. Of an image only what is asked for
// is made: rows above the box and columns beside it are not turned into pixels, and what lies below it is not looked
// at.
#pragma once

#include <memory>
#include <vector>

#include "dataloader/images/image_reader.h"

namespace carrack::data {

class JpegReader : public ImageReader {
 public:
  // Of a progressive JPEG, each of which goes over the whole image; encoders write about ten.
  static constexpr int most_scans = 500;

  JpegReader();
  ~JpegReader() override;

  std::variant<ImageInfo, Undecodable> open(std::span<const std::byte> bytes, const ImageRequest& request) override;
  std::optional<Undecodable> start(const Way& way) override;
  std::variant<const std::uint8_t*, Undecodable> next() override;
  std::optional<Undecodable> finish() override;

 private:
  struct Library;

  Undecodable fault() const;

  std::unique_ptr<Library> library_;
  std::size_t begin_ = 0;  // of the box, in the bytes of a row
  std::size_t width_ = 0;  // of the box
  std::uint32_t end_ = 0;  // of the box, in rows
  std::vector<std::uint8_t> row_;
  std::vector<std::uint8_t> rgb_;  // of a row of CMYK
};

}  // namespace carrack::data
