// What is done to the rows of an image on their way into a batch. A row is its pixels behind each other, each a value
// of every channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataloader/images/taps.h"

namespace carrack::data::rows {

// As many pixels as there are taps, each between two of the row. Here and below, behind the row and behind what is made
// there must be ImageReader::slack more.
void interpolate(const std::uint8_t* row, std::span<const Tap> taps, std::size_t channels, float* into);
// As many pixels as there are covers, each the mean of what it covers.
void average(const std::uint8_t* row, std::span<const Cover> covers, std::size_t channels, float* into);

// Of whole rows, which are all as long as `into`.
void interpolate(const float* lower, const float* upper, float weight, std::span<float> into);
void add(const float* row, float weight, std::span<float> into);

// Value by value: row * scale + offset.
void scale(const float* scale, const float* offset, std::span<float> row);
// The nearest whole numbers from 0 to 255.
void round(std::span<const float> row, std::uint8_t* into);
// Each channel to a plane of its own, of so many values.
void to_planes(std::span<const float> row, std::size_t channels, std::size_t plane, float* into);
void to_planes(std::span<const std::uint8_t> row, std::size_t channels, std::size_t plane, std::uint8_t* into);

}  // namespace carrack::data::rows
