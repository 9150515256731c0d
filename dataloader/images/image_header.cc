#include "dataloader/images/image_header.h"

#include <algorithm>

namespace carrack::data {
namespace {

using std::string_view_literals::operator""sv;

using View = std::span<const std::byte>;

struct Beginning {
  std::string_view bytes;
  std::size_t offset;
  std::string_view format;
};

constexpr Beginning beginnings[] = {
    {"\xff\xd8\xff"sv, 0, "JPEG"}, {"\x89PNG\r\n\x1a\n"sv, 0, "PNG"},
    {"GIF8"sv, 0, "GIF"},          {"BM"sv, 0, "BMP"},
    {"WEBP"sv, 8, "WebP"},         {"II*\0"sv, 0, "TIFF"},
    {"MM\0*"sv, 0, "TIFF"},        {"\xff\x0a"sv, 0, "JPEG XL"},
    {"JXL \r\n"sv, 4, "JPEG XL"},  {"ftypheic"sv, 4, "HEIC"},
    {"ftypavif"sv, 4, "AVIF"},     {"\0\0\0\x0cjP  "sv, 0, "JPEG 2000"},
};

std::string_view text_of(View bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t byte_at(View bytes, std::size_t at) {
  return std::to_integer<std::uint32_t>(bytes[at]);
}
std::uint32_t big_endian_16(View bytes, std::size_t at) {
  return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}
std::uint32_t big_endian_32(View bytes, std::size_t at) {
  return big_endian_16(bytes, at) << 16 | big_endian_16(bytes, at + 2);
}
std::uint32_t little_endian_16(View bytes, std::size_t at) {
  return byte_at(bytes, at) | byte_at(bytes, at + 1) << 8;
}
std::uint32_t little_endian_32(View bytes, std::size_t at) {
  return little_endian_16(bytes, at) | little_endian_16(bytes, at + 2) << 16;
}

// Finds the size in a JPEG (ITU-T T.81). The file begins with segments, each with a marker and a length. The segment
// that begins a frame has the image's size.
std::optional<ImageHeader> jpeg(View bytes) {
  std::size_t at = 2;
  while (at + 9 <= bytes.size() && byte_at(bytes, at) == 0xff) {
    const std::uint32_t marker = byte_at(bytes, at + 1);
    if (marker == 0xff) {  // a fill byte before a marker
      ++at;
      continue;
    }
    const bool begins_frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (begins_frame) return ImageHeader{"JPEG", big_endian_16(bytes, at + 7), big_endian_16(bytes, at + 5)};
    at += 2 + big_endian_16(bytes, at + 2);
  }
  return std::nullopt;
}

// Finds the size in a WebP image (RFC 9649). Its first chunk is of one of three kinds, and each kind has the size at
// another offset.
std::optional<ImageHeader> webp(View bytes) {
  if (bytes.size() < 30 || !text_of(bytes).starts_with("RIFF")) return std::nullopt;
  const std::string_view chunk = text_of(bytes.subspan(12, 4));
  if (chunk == "VP8 ")
    return ImageHeader{"WebP", little_endian_16(bytes, 26) & 0x3fff, little_endian_16(bytes, 28) & 0x3fff};
  if (chunk == "VP8L") {
    const std::uint32_t packed = little_endian_32(bytes, 21);
    return ImageHeader{"WebP", (packed & 0x3fff) + 1, (packed >> 14 & 0x3fff) + 1};
  }
  if (chunk != "VP8X") return std::nullopt;
  const auto three = [&](std::size_t at) { return little_endian_16(bytes, at) | byte_at(bytes, at + 2) << 16; };
  return ImageHeader{"WebP", three(24) + 1, three(27) + 1};
}

}  // namespace

std::optional<std::string_view> image_format_of(View bytes) {
  const std::string_view text = text_of(bytes);
  for (const Beginning& one : beginnings)
    if (text.substr(std::min(one.offset, text.size())).starts_with(one.bytes)) return one.format;
  return std::nullopt;
}

std::optional<ImageHeader> image_header_in(View bytes) {
  const std::optional<std::string_view> format = image_format_of(bytes);
  if (format == "JPEG") return jpeg(bytes);
  if (format == "PNG" && bytes.size() >= 24)
    return ImageHeader{*format, big_endian_32(bytes, 16), big_endian_32(bytes, 20)};
  if (format == "GIF" && bytes.size() >= 10)
    return ImageHeader{*format, little_endian_16(bytes, 6), little_endian_16(bytes, 8)};
  if (format == "BMP" && bytes.size() >= 26 && little_endian_32(bytes, 14) == 40) {
    // The height is negative if the rows are stored from top to bottom.
    const auto height = static_cast<std::int32_t>(little_endian_32(bytes, 22));
    return ImageHeader{*format, little_endian_32(bytes, 18),
                       height < 0 ? -static_cast<std::uint32_t>(height) : static_cast<std::uint32_t>(height)};
  }
  return format == "WebP" ? webp(bytes) : std::nullopt;
}

}  // namespace carrack::data
