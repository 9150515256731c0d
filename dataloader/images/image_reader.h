// Decodes images, one after another, row by row from the top. For each image call open(), start(), next() at most once
// for each row of the box, and finish(). open() may be called at any time, and is the only function that may be called
// after an Undecodable. Row buffers are reused. Not thread-safe.
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
  // This many bytes after each row are readable, so that vector loads may reach beyond its last pixel.
  static constexpr std::size_t padding_bytes = 16;

  // Which rows to produce.
  struct RowRequest {
    std::uint32_t channels = 3;
    Box box;                   // in pixels of the shrunk image, and within it
    std::uint32_t shrink = 1;  // divides height and width; 1, or 2, 4 or 8 for JPEGs
  };

  ImageReader() = default;
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;
  virtual ~ImageReader() = default;

  // Parses the header. `bytes` must stay valid until finish(). An image beyond the limits of the request, or with more
  // pixels than its bytes can encode, is Undecodable before memory is allocated for its pixels.
  virtual std::variant<ImageInfo, Undecodable> open(std::span<const std::byte> bytes, const ImageRequest& request) = 0;
  // Decodes up to the first row of the box. Undecodable also for channels that the format does not have.
  virtual std::optional<Undecodable> start(const RowRequest& rows) = 0;
  // Returns the next row of the box, its pixels as bytes, channels last; valid until the next call of any function.
  virtual std::variant<const std::uint8_t*, Undecodable> next() = 0;
  // Checks the rows of the box that were not read and, if the box ends with the image, the bytes that follow them.
  virtual std::optional<Undecodable> finish() = 0;
};

// What an image's header implies.
struct ImageClaim {
  ImageSize size;
  std::uint64_t encoded_min_bytes = 0;  // No encoding of this size has fewer bytes; 0: any number is possible.
  std::uint64_t memory_bytes = 0;       // an upper bound of what decoding allocates
};

// Returns a fault if the header claims more than `encoded_bytes`, the image's encoded size, can hold, or more than the
// limits of the request; else nullopt.
std::optional<Undecodable> check_claim(const ImageClaim& claim, std::uint64_t encoded_bytes,
                                       const ImageRequest& request);

}  // namespace carrack::data
