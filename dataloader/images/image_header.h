// Recognizes the format and size of an image by its first bytes, for reports and messages to the user: also formats
// that ImageDecoder does not decode. ImageDecoder chooses its reader by the format. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace carrack::data {

// Returns "JPEG", "PNG", "GIF", "BMP", "WebP", "TIFF", "JPEG XL", "HEIC", "AVIF" or "JPEG 2000"; nullopt for other
// bytes. Checks only a few bytes, for BMP two, so it may return a format for data that is no image.
std::optional<std::string_view> image_format_of(std::span<const std::byte> bytes);

// The result of image_header_in().
struct ImageHeader {
  std::string_view format;  // always a view of a constant, such as "JPEG"
  std::uint32_t width = 0;  // in pixels, as the file says: unchecked, so 0 is possible
  std::uint32_t height = 0;
  bool operator==(const ImageHeader&) const = default;
};

// Returns the format and size of a JPEG, PNG, GIF, WebP, or BMP with a header of 40 bytes; nullopt for other bytes.
// `bytes` may be only the beginning of the image. If they end before the size, which in a JPEG comes after metadata of
// any length, this returns nullopt.
std::optional<ImageHeader> image_header_in(std::span<const std::byte> bytes);

}  // namespace carrack::data
