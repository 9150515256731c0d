// PNGs, by libpng, made into 8 bits a channel as TensorFlow does. Rows below the box are not looked at; an interlaced
// image, whose rows come in no order, is decoded as a whole.
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
  std::optional<Undecodable> start(const Way& way) override;
  std::variant<const std::uint8_t*, Undecodable> next() override;
  std::optional<Undecodable> finish() override;

 private:
  struct Library;

  Undecodable fault() const;

  std::unique_ptr<Library> library_;
  bool interlaced_ = false;
  std::vector<std::uint8_t> pixels_;  // a row, or all of an interlaced image
  std::size_t row_size_ = 0;
  std::size_t begin_ = 0;  // of the box, in the bytes of a row
  std::uint32_t row_ = 0;  // that comes next
  std::uint32_t end_ = 0;  // of the box, in rows
};

}  // namespace carrack::data
