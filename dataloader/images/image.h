// The types of ImageDecoder, which decodes JPEGs and PNGs: its options (ImageRequest), what an image's header says
// (ImageInfo), and why an image cannot be decoded (Undecodable). docs/formats/image.md lists which images are decoded,
// how, and where the result differs from TensorFlow's.
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

// What the header of an image says.
struct ImageInfo {
  ImageKind kind = ImageKind::jpeg;
  ImageSize size;
  std::uint32_t channels = 0;  // of the decoded image if ImageRequest::channels is 0: 1 to 4
  bool operator==(const ImageInfo&) const = default;
};

// Why bytes cannot be decoded as requested. This is returned, never thrown.
struct Undecodable {
  std::string message;                     // such as "it is cut short: ..."; the caller adds which image it is
  std::optional<std::size_t> offset = {};  // of the byte that was reached when the fault was found; nullopt: unknown
  bool operator==(const Undecodable&) const = default;
};

// How a resized image's pixels are computed. An image that already has the requested size is not resampled.
enum class Interpolation : std::uint8_t { bilinear, nearest, area };

// The order of the values of an ImageRow: height, width, channel (NHWC), or channel, height, width (NCHW).
enum class Layout : std::uint8_t { channels_last, channels_first };

// The inverse DCT of JPEGs. `fast` differs from `accurate` by at most a few levels and is TensorFlow's default.
enum class Dct : std::uint8_t { fast, accurate };

// How all images of an ImageDecoder are decoded.
struct ImageRequest {
  // 1: grey; 3: RGB; 4: RGB and opacity, only for PNGs; 0: as many as the image has; 2 mean grey and opacity.
  // ImageDecoder refuses other numbers.
  std::uint32_t channels = 3;
  std::optional<ImageSize> size = {};  // the size to which the crop is resized; nullopt: it is not resized
  Interpolation interpolation = Interpolation::bilinear;
  Layout layout = Layout::channels_last;
  // Each value v, from 0 to 255, of channel i becomes v * scale[i] + offset[i]. All must be finite. An ImageRow of
  // bytes gets the nearest whole number from 0 to 255.
  std::array<float, 4> scale = {1, 1, 1, 1};
  std::array<float, 4> offset = {};
  Dct dct = Dct::fast;
  bool fancy_upsampling = true;  // interpolates a JPEG's subsampled colours instead of repeating them
  // Decodes a JPEG at a half, a quarter or an eighth of its height and width if the crop then still has at least
  // `size`. This is faster and smoother, but differs from TensorFlow's result. No effect if `size` is nullopt.
  bool may_shrink = false;
  // Refuses damaged JPEGs that libjpeg only warns about and TensorFlow accepts.
  bool strict = false;
  // The maximum of height * width of the encoded image; for a JPEG with arithmetic coding at most 2^24.
  std::uint64_t pixels_max = std::uint64_t{1} << 28;
  // The maximum memory for decoding one image, as computed from its header. Only progressive JPEGs and interlaced PNGs
  // need much, because they are decoded completely. An image that needs more is Undecodable, and no memory for its
  // pixels is allocated.
  std::uint64_t memory_max_bytes = std::uint64_t{256} << 20;
};

// The caller's memory into which one decoded image is written, one element for each of its values: a row of a batch.
using ImageRow = std::variant<std::span<std::uint8_t>, std::span<float>>;

}  // namespace carrack::data
