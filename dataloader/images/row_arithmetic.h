// The inner loops of resizing and converting images, one row of pixels at a time. Resampler, RowInterpolator and
// ImageDecoder call them.
// A row is an array of pixels from left to right, each with one value for each of 1 to 4 channels. Taps and Covers say
// from which pixels a new pixel is computed (taps.h). Pure functions, which do not check sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataloader/images/taps.h"

namespace carrack::data::rows {

// Resizes a row horizontally: writes one pixel for each tap to `into`. Here and in average(), 16 more elements
// (ImageReader::padding_bytes) must be readable after the pixels in `row`, and as many must be writable after the
// pixels in `into`; these may be overwritten.
void interpolate(const std::uint8_t* row, std::span<const Tap> taps, std::size_t channels, float* into);
// Resizes a row horizontally: writes one pixel for each cover to `into`, the mean of the pixels that it covers.
void average(const std::uint8_t* row, std::span<const Cover> covers, std::size_t channels, float* into);

// Resizes vertically, from two rows: into = lower + (upper - lower) * weight for each value. Here and in add(), all
// rows are as long as `into`.
void interpolate(const float* lower, const float* upper, float weight, std::span<float> into);
// into += row * weight
void add(const float* row, float weight, std::span<float> into);

// row[i] = row[i] * scale[i] + offset[i] for all elements of `row`; `scale` and `offset` have as many elements as
// `row`.
void scale(const float* scale, const float* offset, std::span<float> row);
// Rounds to the nearest whole numbers, halves up, and limits them to 0 to 255. `into` has as many elements as `row`,
// which must have no NaN.
void round(std::span<const float> row, std::uint8_t* into);
// Converts a row from channels last (NHWC) to channels first (NCHW): writes the values of channel c from into[c *
// plane] on. `plane` is the number of pixels in the whole image, and `into` is where this row begins in the first
// channel.
void to_planes(std::span<const float> row, std::size_t channels, std::size_t plane, float* into);
void to_planes(std::span<const std::uint8_t> row, std::size_t channels, std::size_t plane, std::uint8_t* into);

}  // namespace carrack::data::rows
