#include "dataloader/images/image_kind.h"

#include <string>

#include "dataloader/images/image_header.h"

namespace carrack::data {

std::variant<ImageKind, Undecodable> image_kind_of(std::span<const std::byte> bytes) {
  if (bytes.empty()) return Undecodable{"it is empty"};
  const std::optional<std::string_view> format = image_format_of(bytes);
  if (!format) return Undecodable{"it begins neither as a JPEG nor as a PNG does"};
  if (format == "JPEG") return ImageKind::jpeg;
  if (format == "PNG") return ImageKind::png;
  return Undecodable{(format == "AVIF" ? "it is an " : "it is a ") + std::string(*format) +
                     ", and only JPEG and PNG are decoded"};
}

}  // namespace carrack::data
