// ImageReader: the interface of JpegReader and PngReader, by which ImageDecoder decodes images row by row from the top.
// For each image call open(), start(), next() at most once for each row of the box, and finish(). One reader may read
// one image after another: open() may be called at any time, and is the only function that may be called after an
// Undecodable. Not thread-safe.
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
  // This many bytes after the last pixel of each returned row are readable, with unspecified values, for vector loads.
  static constexpr std::size_t padding_bytes = 16;

  // Which part of the image next() returns, and how.
  struct RowRequest {
    std::uint32_t channels = 3;  // 1 to 4, not 0
    Box box;                     // the part of the image to return, in pixels after `shrink`; not empty
    std::uint32_t shrink = 1;    // height and width are divided by this; 1, or 2, 4 or 8 for JPEGs
  };

  ImageReader() = default;
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;
  virtual ~ImageReader() = default;

  // Parses the header. `bytes` must stay valid until the last call for this image. An image beyond the limits of the
  // request, or with more pixels than its bytes can encode, is Undecodable, and no memory is allocated for its pixels.
  virtual std::variant<ImageInfo, Undecodable> open(std::span<const std::byte> bytes, const ImageRequest& request) = 0;
  // Decodes up to the first row of the box. Call it once for each image. Returns nullopt, or why that is impossible,
  // such as 4 channels of a JPEG.
  virtual std::optional<Undecodable> start(const RowRequest& rows) = 0;
  // Returns the pixels of the next row of the box as bytes, channels last; valid until the next call of any function.
  virtual std::variant<const std::uint8_t*, Undecodable> next() = 0;
  // Checks the rows of the box that were not read and, if the box ends with the last row of the image, the bytes that
  // follow. Without this call damage in them is not found.
  virtual std::optional<Undecodable> finish() = 0;
};

// What an image needs, computed from its header before any memory for it is allocated.
struct ImageClaim {
  ImageSize size;
  std::uint64_t encoded_min_bytes = 0;  // an image of this size has at least so many encoded bytes; 0: unknown
  std::uint64_t memory_bytes = 0;       // upper bound of the memory that decoding allocates
};

// For implementations of open(): protects against images with a false or huge size. Returns a fault if the image has
// more pixels than its `encoded_bytes` bytes can encode, or exceeds pixels_max or memory_max_bytes of the request; else
// nullopt.
std::optional<Undecodable> check_claim(const ImageClaim& claim, std::uint64_t encoded_bytes,
                                       const ImageRequest& request);

}  // namespace carrack::data
