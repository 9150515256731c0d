// What image some bytes are, by how they begin: without decoding anything, and also of formats that nothing here
// decodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace carrack::data {

// "JPEG", "PNG", "GIF", "BMP", "WebP", "TIFF", "JPEG XL", "HEIC", "AVIF", "JPEG 2000"; nothing for other bytes.
std::optional<std::string_view> image_format_of(std::span<const std::byte> bytes);

struct ImageHeader {
  std::string_view format;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool operator==(const ImageHeader&) const = default;
};

// Of the first five of these; nothing where the bytes are none of them, or too few to tell the size.
std::optional<ImageHeader> image_header_in(std::span<const std::byte> bytes);

}  // namespace carrack::data
