// What is asked of an encoded image, and what one is. docs/formats/image.md says which images are decoded, how, and
// where that differs from TensorFlow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace carrack::data {

enum class ImageKind : std::uint8_t { jpeg, png };

struct ImageSize {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  bool operator==(const ImageSize&) const = default;
};

struct ImageInfo {
  ImageKind kind = ImageKind::jpeg;
  ImageSize size;
  std::uint32_t channels = 0;  // that there are if no number is asked for
  bool operator==(const ImageInfo&) const = default;
};

// Why bytes do not give the image that was asked for.
struct Undecodable {
  std::string message;
  std::optional<std::size_t> offset = {};  // in the bytes, where what is wrong was found
  bool operator==(const Undecodable&) const = default;
};

// Between pixels; an image that already has the size that is asked for is never changed.
enum class Interpolation : std::uint8_t { bilinear, nearest, area };

// Which of height, width and channel lie together in a row of a batch.
enum class Layout : std::uint8_t { channels_last, channels_first };

// Of JPEGs: `fast` differs from `accurate` by at most a few levels and is TensorFlow's default.
enum class Dct : std::uint8_t { fast, accurate };

struct ImageRequest {
  // 1 is grey, 3 is RGB, 4 is RGB and opacity, which JPEGs do not have; 0 is what the image has.
  std::uint32_t channels = 3;
  std::optional<ImageSize> size = {};  // else that of the crop
  Interpolation interpolation = Interpolation::bilinear;
  Layout layout = Layout::channels_last;
  // Each value v of a channel becomes v * scale + offset. A value in bytes is then the nearest one from 0 to 255.
  std::array<float, 4> scale = {1, 1, 1, 1};
  std::array<float, 4> offset = {};
  Dct dct = Dct::fast;
  bool fancy_upsampling = true;  // of a JPEG's colours, between pixels instead of repeating them
  // A JPEG may be decoded at a half, a quarter or an eighth while that is at least the size asked for: faster,
  // smoother, and no longer what TensorFlow gives.
  bool may_shrink = false;
  // Damage of a JPEG that libjpeg warns of and TensorFlow overlooks is a fault.
  bool strict = false;
  std::uint64_t pixels_max = std::uint64_t{1} << 28;  // of the encoded image
};

// A row of a batch, as long as the image that is asked for has values.
using ImageRow = std::variant<std::span<std::uint8_t>, std::span<float>>;

}  // namespace carrack::data
