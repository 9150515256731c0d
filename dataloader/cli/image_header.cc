#include "dataloader/cli/image_header.h"

#include "dataloader/records/little_endian.h"
#include "dataloader/records/wire.h"

namespace carrack::data::cli {
namespace {

using View = std::span<const std::byte>;
using std::string_view_literals::operator""sv;

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
  return number_at<std::uint16_t>(bytes.data() + at);
}

// ITU-T T.81: segments behind each other, each with its marker and length, up to the one that begins the frame.
std::optional<ImageHeader> jpeg(View bytes) {
  std::size_t at = 2;
  while (at + 9 <= bytes.size() && byte_at(bytes, at) == 0xff) {
    const std::uint32_t marker = byte_at(bytes, at + 1);
    if (marker == 0xff) {  // Any number of them may stand before a marker.
      ++at;
      continue;
    }
    const bool begins_frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (begins_frame) return ImageHeader{"JPEG", big_endian_16(bytes, at + 7), big_endian_16(bytes, at + 5)};
    at += 2 + big_endian_16(bytes, at + 2);
  }
  return std::nullopt;
}

// RFC 9649: one of three kinds of first chunks.
std::optional<ImageHeader> webp(View bytes) {
  if (bytes.size() < 30) return std::nullopt;
  const std::string_view chunk = wire::text_of(bytes.subspan(12, 4));
  if (chunk == "VP8 ")
    return ImageHeader{"WebP", little_endian_16(bytes, 26) & 0x3fff, little_endian_16(bytes, 28) & 0x3fff};
  if (chunk == "VP8L") {
    const auto packed = number_at<std::uint32_t>(bytes.data() + 21);
    return ImageHeader{"WebP", (packed & 0x3fff) + 1, (packed >> 14 & 0x3fff) + 1};
  }
  if (chunk != "VP8X") return std::nullopt;
  const auto three = [&](std::size_t at) { return little_endian_16(bytes, at) | byte_at(bytes, at + 2) << 16; };
  return ImageHeader{"WebP", three(24) + 1, three(27) + 1};
}

}  // namespace

std::optional<ImageHeader> image_header_in(View bytes) {
  const std::string_view text = wire::text_of(bytes);
  if (text.starts_with("\xff\xd8\xff"sv)) return jpeg(bytes);
  if (text.starts_with("\x89PNG\r\n\x1a\n"sv) && bytes.size() >= 24)
    return ImageHeader{"PNG", big_endian_32(bytes, 16), big_endian_32(bytes, 20)};
  if ((text.starts_with("GIF87a"sv) || text.starts_with("GIF89a"sv)) && bytes.size() >= 10)
    return ImageHeader{"GIF", little_endian_16(bytes, 6), little_endian_16(bytes, 8)};
  if (text.starts_with("BM"sv) && bytes.size() >= 26 && number_at<std::uint32_t>(bytes.data() + 14) == 40) {
    const auto height = number_at<std::int32_t>(bytes.data() + 22);  // Negative where the rows go down.
    return ImageHeader{"BMP", number_at<std::uint32_t>(bytes.data() + 18),
                       height < 0 ? -static_cast<std::uint32_t>(height) : static_cast<std::uint32_t>(height)};
  }
  if (text.starts_with("RIFF"sv) && text.size() >= 12 && text.substr(8, 4) == "WEBP") return webp(bytes);
  return std::nullopt;
}

}  // namespace carrack::data::cli
