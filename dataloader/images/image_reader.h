// One encoded image, read row by row from its top, and then the next: a reader keeps the memory that rows take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "dataloader/images/crop.h"
#include "dataloader/images/image.h"

namespace carrack::data {

class ImageReader {
 public:
  // Behind a row, so that whoever looks at it may load more than a pixel at once.
  static constexpr std::size_t slack = 16;

  // How the rows are made.
  struct Way {
    std::uint32_t channels = 3;
    Box box;                   // What is wanted, of the shrunk image.
    std::uint32_t shrink = 1;  // 2, 4 and 8 for JPEGs alone
  };

  ImageReader() = default;
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;
  virtual ~ImageReader() = default;

  // Reads what comes before the pixels, of bytes that must stay until the last row. No memory is taken for an image
  // that is larger than allowed, or than its bytes can hold.
  virtual std::variant<ImageInfo, Undecodable> open(std::span<const std::byte> bytes, const ImageRequest& request) = 0;
  virtual std::optional<Undecodable> start(const Way& way) = 0;
  // The box's next row, the bytes of its pixels behind each other; valid until the next call.
  virtual std::variant<const std::uint8_t*, Undecodable> next() = 0;
  // Looks at the rest of the box, and if that is the image's end at what comes behind it.
  virtual std::optional<Undecodable> finish() = 0;
};

// What speaks against taking memory for an image of this size, of which at least `least` bytes would have to be there.
std::optional<Undecodable> problem_of_size(ImageSize size, std::uint64_t least, std::uint64_t bytes,
                                           std::uint64_t pixels_max);

}  // namespace carrack::data
