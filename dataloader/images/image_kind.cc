#include "dataloader/images/image_kind.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace carrack::data {
namespace {

using namespace std::string_view_literals;

struct Beginning {
  std::string_view bytes;
  std::size_t offset;
  const char* name;
};

constexpr Beginning others[] = {
    {"GIF8"sv, 0, "a GIF"},         {"BM"sv, 0, "a BMP"},
    {"WEBP"sv, 8, "a WebP"},        {"II*\0"sv, 0, "a TIFF"},
    {"MM\0*"sv, 0, "a TIFF"},       {"\xff\x0a"sv, 0, "a JPEG XL"},
    {"JXL \r\n"sv, 4, "a JPEG XL"}, {"ftypheic"sv, 4, "a HEIC"},
    {"ftypavif"sv, 4, "an AVIF"},   {"\0\0\0\x0cjP  "sv, 0, "a JPEG 2000"},
};

}  // namespace

std::variant<ImageKind, Undecodable> image_kind_of(std::span<const std::byte> bytes) {
  if (bytes.empty()) return Undecodable{"it is empty"};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\xff\xd8\xff"sv)) return ImageKind::jpeg;
  if (text.starts_with("\x89PNG\r\n\x1a\n"sv)) return ImageKind::png;
  for (const Beginning& other : others)
    if (text.substr(std::min(other.offset, text.size())).starts_with(other.bytes))
      return Undecodable{std::string("it is ") + other.name + ", and only JPEG and PNG are decoded"};
  return Undecodable{"it begins neither as a JPEG nor as a PNG does"};
}

}  // namespace carrack::data
