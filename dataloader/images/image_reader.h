// Decodes images, one after another, row by row from the top. For each image call open(), start(), next() at most once
// for each row of the box, and finish(). After an Undecodable only open() may be called. Row buffers are reused. Not
// thread-safe.
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
  // Readable bytes behind each row, so that vector loads may reach beyond its last pixel.
  static constexpr std::size_t padding_bytes = 16;

  // Which rows to produce.
  struct RowRequest {
    std::uint32_t channels = 3;
    Box box;                   // in pixels of the shrunk image
    std::uint32_t shrink = 1;  // divides height and width; 2, 4 and 8 only for JPEGs
  };

  ImageReader() = default;
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;
  virtual ~ImageReader() = default;

  // Parses the header. `bytes` must stay valid until finish(). An image that breaks the limits of the request, or that
  // claims more pixels than its bytes can encode, is refused before memory is allocated for it.
  virtual std::variant<ImageInfo, Undecodable> open(std::span<const std::byte> bytes, const ImageRequest& request) = 0;
  // Goes to the first row of the box. Call after open().
  virtual std::optional<Undecodable> start(const RowRequest& rows) = 0;
  // The next row of the box, its pixels as bytes, channels last; valid until the next call.
  virtual std::variant<const std::uint8_t*, Undecodable> next() = 0;
  // Checks the rows of the box that were not read and, if the box ends with the image, the bytes behind it.
  virtual std::optional<Undecodable> finish() = 0;
};

// What an image's header implies.
struct ImageClaim {
  ImageSize size;
  std::uint64_t encoded_min_bytes = 0;  // no encoder needs fewer bytes for this size
  std::uint64_t memory_bytes = 0;       // an upper bound of what decoding allocates
};

// Refuses an image of which the header claims too much, given its encoded size and the limits of the request.
std::optional<Undecodable> check_claim(const ImageClaim& claim, std::uint64_t encoded_bytes,
                                       const ImageRequest& request);

}  // namespace carrack::data
