// What image some bytes are, by how they begin: enough to tell a person, without decoding anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace carrack::data::cli {

struct ImageHeader {
  std::string_view format;  // "JPEG", "PNG", "GIF", "BMP", "WebP"
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool operator==(const ImageHeader&) const = default;
};

// Nothing where the bytes are no image of these, or too few to tell its size.
std::optional<ImageHeader> image_header_in(std::span<const std::byte> bytes);

}  // namespace carrack::data::cli
