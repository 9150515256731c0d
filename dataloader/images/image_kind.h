// Whether bytes are an image that ImageDecoder decodes, by their first bytes; an Undecodable names other formats.
#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "dataloader/images/image.h"

namespace carrack::data {

std::variant<ImageKind, Undecodable> image_kind_of(std::span<const std::byte> bytes);

}  // namespace carrack::data
