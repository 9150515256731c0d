// Arithmetic on the rows of an image. A row is a list of pixels, each with one value for each of 1 to 4 channels. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataloader/images/taps.h"

namespace carrack::data::rows {

// Writes one pixel for each tap to `into`. Here and in average(), ImageReader::padding_bytes more elements must be
// readable after the pixels in `row`, and the same number must be writable after the pixels in `into`; these may be
// overwritten.
void interpolate(const std::uint8_t* row, std::span<const Tap> taps, std::size_t channels, float* into);
// Writes one pixel for each cover to `into`: the mean of the pixels that it covers.
void average(const std::uint8_t* row, std::span<const Cover> covers, std::size_t channels, float* into);

// into = lower + (upper - lower) * weight. Here and in add(), all rows are as long as `into`.
void interpolate(const float* lower, const float* upper, float weight, std::span<float> into);
// into += row * weight
void add(const float* row, float weight, std::span<float> into);

// row[i] = row[i] * scale[i] + offset[i] for all elements of `row`; `scale` and `offset` have the same number of
// elements.
void scale(const float* scale, const float* offset, std::span<float> row);
// Rounds to the nearest whole numbers, halves up, and limits them to 0 to 255. `into` has as many elements as `row`,
// which must have no NaN.
void round(std::span<const float> row, std::uint8_t* into);
// Writes the values of channel c of this row from into[c * plane] on. `plane` is the number of pixels in the whole
// image.
void to_planes(std::span<const float> row, std::size_t channels, std::size_t plane, float* into);
void to_planes(std::span<const std::uint8_t> row, std::size_t channels, std::size_t plane, std::uint8_t* into);

}  // namespace carrack::data::rows
