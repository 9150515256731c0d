// Images decoded for tests: the values, or the fault in words.
#pragma once

#include <string>
#include <vector>

#include "dataloader/images/image_decoder.h"
#include "tests/dataloader/images/encoded.h"

namespace carrack::data {

template <typename Value>
struct Decoded {
  ImageShape shape;
  std::vector<Value> values;
  std::string fault;  // "WHAT at byte N"
  bool operator==(const Decoded&) const = default;
};

inline std::string text_of(const Undecodable& fault) {
  return fault.message + (fault.offset ? " at byte " + std::to_string(*fault.offset) : "");
}

template <typename Value = std::uint8_t>
Decoded<Value> decoded(ImageDecoder& decoder, const Encoded& image, const CropAndMirror& cut = {}) {
  const auto info = decoder.info_of(image);
  if (const Undecodable* fault = std::get_if<Undecodable>(&info)) return {{}, {}, text_of(*fault)};
  Decoded<Value> made;
  made.shape = decoder.shape_of(std::get<ImageInfo>(info), cut.crop).value_or(ImageShape());
  made.values.resize(made.shape.values());
  if (const auto fault = decoder.decode(image, cut, std::span(made.values))) return {{}, {}, text_of(*fault)};
  return made;
}

template <typename Value = std::uint8_t>
Decoded<Value> decoded(const Encoded& image, const ImageRequest& request = {}, const CropAndMirror& cut = {}) {
  ImageDecoder decoder(request);
  return decoded<Value>(decoder, image, cut);
}

// Of a whole image, the part that is a box.
template <typename Value>
Decoded<Value> part(const Decoded<Value>& whole, const Box& box) {
  Decoded<Value> made = {{box.height, box.width, whole.shape.channels}, {}, {}};
  for (std::size_t row = box.top; row < box.top + box.height; ++row) {
    const auto begin =
        whole.values.begin() + static_cast<std::ptrdiff_t>((row * whole.shape.width + box.left) * whole.shape.channels);
    made.values.insert(made.values.end(), begin, begin + box.width * whole.shape.channels);
  }
  return made;
}

inline Encoded bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace carrack::data
