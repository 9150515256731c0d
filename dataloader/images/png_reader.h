// PngReader: the ImageReader for PNGs; image_reader.h describes its functions. It uses libpng, and converts to 8 bits a
// channel as TensorFlow does. Rows below the box are not decoded. An interlaced image, whose rows are not stored in
// order, is decoded completely by start(). RowRequest::shrink must be 1.
#pragma once

#include <memory>
#include <vector>

#include "dataloader/images/image_reader.h"

namespace carrack::data {

class PngReader : public ImageReader {
 public:
  PngReader();
  ~PngReader() override;

  std::variant<ImageInfo, Undecodable> open(std::span<const std::byte> bytes, const ImageRequest& request) override;
  std::optional<Undecodable> start(const RowRequest& rows) override;
  std::variant<const std::uint8_t*, Undecodable> next() override;
  std::optional<Undecodable> finish() override;

 private:
  struct Library;

  Undecodable fault() const;

  std::unique_ptr<Library> library_;
  bool interlaced_ = false;
  std::vector<std::uint8_t> pixels_;  // the last row, or all rows of an interlaced image
  std::size_t row_size_ = 0;          // size of a decoded row in bytes
  std::size_t begin_ = 0;             // offset in bytes, within a row, where the box begins
  std::uint32_t row_ = 0;             // number of the next row
  std::uint32_t end_ = 0;             // number of the row after the box
};

}  // namespace carrack::data
