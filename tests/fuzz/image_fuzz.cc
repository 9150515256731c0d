// Any bytes as an image, asked for in a way that the first two say: a row of a batch or a fault that lies within the
// bytes, the same whatever the decoder has seen before; values from 0 to 255; and if the whole can be decoded, so can
// each part of it, to the same values. The checksums of a PNG would keep the fuzzer from getting past its first chunk,
// so they are made good.
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "dataloader/images/image_decoder.h"
#include "tests/dataloader/images/decoding.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;

Encoded sealed(Encoded image) {
  for (std::size_t at = 8; at + 12 <= image.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | std::to_integer<std::size_t>(image[at + i]);
    if (length > image.size() - at - 12) break;
    const auto* content = reinterpret_cast<const Bytef*>(&image[at + 4]);
    const uLong checksum = crc32(0, content, static_cast<uInt>(length + 4));
    for (std::size_t i = 0; i < 4; ++i) image[at + 8 + length + i] = static_cast<std::byte>(checksum >> (24 - 8 * i));
    at += length + 12;
  }
  return image;
}

ImageRequest request_of(unsigned bits) {
  ImageRequest request;
  constexpr std::uint32_t channels[] = {0, 1, 3, 4};
  request.channels = channels[bits & 3];
  request.fancy_upsampling = (bits & 4) != 0;
  request.dct = (bits & 8) != 0 ? Dct::fast : Dct::accurate;
  request.strict = (bits & 16) != 0;
  request.may_shrink = (bits & 32) != 0;
  request.layout = (bits & 64) != 0 ? Layout::channels_last : Layout::channels_first;
  request.interpolation = static_cast<Interpolation>((bits >> 8) % 3);
  request.pixels_max = std::uint64_t{1} << 16;
  request.memory_max_bytes = std::uint64_t{4} << 20;
  return request;
}

template <typename Value>
Decoded<Value> check(const Encoded& image, const ImageRequest& request, const CropAndMirror& cut = {}) {
  ImageDecoder decoder(request);
  auto first = decoded<Value>(decoder, image, cut);
  must(first == decoded<Value>(decoder, image, cut), "what was seen before changes nothing");
  for (const Value value : first.values) must(value >= 0 && value <= 255.001, "values are those of bytes");
  return first;
}

void check(const Encoded& image, unsigned bits) {
  ImageRequest request = request_of(bits);
  const auto whole = check<std::uint8_t>(image, request);
  if (whole.fault.empty() && request.layout == Layout::channels_last) {
    const auto [height, width, channels] = whole.shape;
    const Box box = {height / 3, width * (bits >> 10) / 64, (height + 2) / 3, 1 + width / 3};
    if (const auto fits = box_of(box, {height, width}))
      must(check<std::uint8_t>(image, request, {*fits}) == part(whole, *fits), "a crop is a part of the whole");
  }
  request.size = ImageSize{1 + (bits >> 7) % 31, 1 + (bits >> 9) % 37};
  const auto resized = check<float>(image, request, {RandomCrop{0.5, 1.5, 0.3, 0.6}, (bits & 128) != 0});
  must(resized.fault.empty() || !whole.fault.empty(), "what can be decoded as a whole can be resized");
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace carrack::data;
  if (size < 2) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(2);
  Encoded image(bytes.begin(), bytes.end());
  if (!image.empty() && image[0] == std::byte{0x89}) image = sealed(std::move(image));
  check(image, static_cast<unsigned>(data[0] | data[1] << 8));
  return 0;
}
