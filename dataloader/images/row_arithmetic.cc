#include "dataloader/images/row_arithmetic.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace carrack::data::rows {
namespace {

// The values of a pixel; if it has fewer than four channels, the values that follow it fill the rest.
using Pixel = float __attribute__((vector_size(16)));
using Words = std::int32_t __attribute__((vector_size(16)));
using Halves = std::int16_t __attribute__((vector_size(16)));
using Bytes = std::int8_t __attribute__((vector_size(16)));

// Converts four bytes to 32 bits each by inserting zeros, first between bytes and then between pairs of bytes.
// Compilers turn this form into two instructions.
Pixel pixel_at(const std::uint8_t* at) {
  std::int32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const auto bytes = reinterpret_cast<Bytes>(Words{word});
  const auto halves = reinterpret_cast<Halves>(
      __builtin_shufflevector(bytes, Bytes{}, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
  const auto words = reinterpret_cast<Words>(__builtin_shufflevector(halves, Halves{}, 0, 8, 1, 9, 2, 10, 3, 11));
  return __builtin_convertvector(words, Pixel);
}

// Stores four values, even if the pixel has fewer. The next pixel overwrites the surplus values; those of the last
// pixel end up in the padding that callers reserve after a row.
void store(Pixel pixel, float* at) {
  std::memcpy(at, &pixel, sizeof pixel);
}

// Computes each new pixel from two pixels of the row. The number of channels is a template argument, so that the
// compiler knows the offsets of values.
template <std::size_t channels>
void interpolate_pixels(const std::uint8_t* row, std::span<const Tap> taps, float* into) {
  for (const Tap& tap : taps) {
    const Pixel lower = pixel_at(row + tap.lower * channels);
    const Pixel upper = pixel_at(row + tap.upper * channels);
    store(lower + (upper - lower) * tap.weight, into);
    into += channels;
  }
}

// Computes each new pixel as the average of the pixels that it covers; the first and the last may be covered partly.
template <std::size_t channels>
void average_pixels(const std::uint8_t* row, std::span<const Cover> covers, float* into) {
  for (const Cover& cover : covers) {
    Pixel sum = pixel_at(row + cover.first * channels) * cover.first_weight;
    for (std::uint32_t i = cover.first + 1; i < cover.last; ++i) sum += pixel_at(row + i * channels);
    sum += pixel_at(row + cover.last * channels) * cover.last_weight;
    store(sum * cover.scale, into);
    into += channels;
  }
}

// Calls `use` with the number of channels as a compile-time constant.
template <typename Use>
void with_channels(std::size_t channels, const Use& use) {
  switch (channels) {
    case 1:
      return use(std::integral_constant<std::size_t, 1>());
    case 2:
      return use(std::integral_constant<std::size_t, 2>());
    case 3:
      return use(std::integral_constant<std::size_t, 3>());
    default:
      return use(std::integral_constant<std::size_t, 4>());
  }
}

// Writes the values of each channel to a separate plane. The planes are `plane` elements apart.
template <typename Value>
void split(std::span<const Value> row, std::size_t channels, std::size_t plane, Value* into) {
  const std::size_t width = row.size() / channels;
  for (std::size_t channel = 0; channel < channels; ++channel)
    for (std::size_t i = 0; i < width; ++i) into[channel * plane + i] = row[i * channels + channel];
}

}  // namespace

void interpolate(const std::uint8_t* row, std::span<const Tap> taps, std::size_t channels, float* into) {
  with_channels(channels, [&](auto constant) { interpolate_pixels<constant>(row, taps, into); });
}

void average(const std::uint8_t* row, std::span<const Cover> covers, std::size_t channels, float* into) {
  with_channels(channels, [&](auto constant) { average_pixels<constant>(row, covers, into); });
}

void interpolate(const float* lower, const float* upper, float weight, std::span<float> into) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = lower[i] + (upper[i] - lower[i]) * weight;
}

void add(const float* row, float weight, std::span<float> into) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += row[i] * weight;
}

void scale(const float* scale, const float* offset, std::span<float> row) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = row[i] * scale[i] + offset[i];
}

void round(std::span<const float> row, std::uint8_t* into) {
  for (std::size_t i = 0; i < row.size(); ++i)
    into[i] = static_cast<std::uint8_t>(std::clamp(row[i] + 0.5f, 0.0f, 255.0f));
}

void to_planes(std::span<const float> row, std::size_t channels, std::size_t plane, float* into) {
  split(row, channels, plane, into);
}

void to_planes(std::span<const std::uint8_t> row, std::size_t channels, std::size_t plane, std::uint8_t* into) {
  split(row, channels, plane, into);
}

}  // namespace carrack::data::rows
