// Rows that are interpolated across, with and without AVX2.
#include "dataloader/images/row_interpolator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "dataloader/images/image_reader.h"

namespace carrack::data {
namespace {

std::vector<std::uint8_t> random_row(std::size_t pixels, std::size_t channels) {
  std::minstd_rand draw(1);
  std::vector<std::uint8_t> row(pixels * channels + ImageReader::padding_bytes);
  for (std::uint8_t& value : row) value = static_cast<std::uint8_t>(draw() >> 8);
  return row;
}

// By the definition of a Tap.
std::vector<float> expected(const std::vector<std::uint8_t>& row, const std::vector<Tap>& taps, std::size_t channels) {
  std::vector<float> values;
  for (const Tap& tap : taps) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const float lower = row[tap.lower * channels + channel], upper = row[tap.upper * channels + channel];
      values.push_back(lower + (upper - lower) * tap.weight);
    }
  }
  return values;
}

// The memory behind the row and the values has no more elements than promised, so AddressSanitizer sees any access
// behind them.
std::vector<float> interpolated(const std::vector<std::uint8_t>& row, const std::vector<Tap>& taps,
                                std::size_t channels, bool may_use_avx2) {
  RowInterpolator interpolator;
  interpolator.set_taps(taps, channels, may_use_avx2);
  std::vector<float> values(taps.size() * channels + ImageReader::padding_bytes);
  interpolator.interpolate(row.data(), values.data());
  values.resize(taps.size() * channels);
  return values;
}

void expect_all_equal(std::uint32_t pixels, std::uint32_t into, bool mirrored) {
  std::vector<Tap> taps = bilinear_taps({pixels, 0, static_cast<float>(pixels), into});
  if (mirrored) std::ranges::reverse(taps);
  for (std::size_t channels = 1; channels <= 4; ++channels) {
    const std::vector<std::uint8_t> row = random_row(pixels, channels);
    const std::vector<float> values = expected(row, taps, channels);
    EXPECT_EQ(interpolated(row, taps, channels, true), values) << pixels << " to " << into << ", " << channels;
    EXPECT_EQ(interpolated(row, taps, channels, false), values) << pixels << " to " << into << ", " << channels;
  }
}

TEST(RowInterpolator, ComputesTheSameWithAndWithoutAvx2) {
  for (const std::uint32_t pixels : {1u, 2u, 3u, 7u, 16u, 100u, 500u}) {
    for (const std::uint32_t into : {1u, 2u, 5u, 8u, 9u, 64u, 224u, 500u}) {
      expect_all_equal(pixels, into, false);
      expect_all_equal(pixels, into, true);
    }
  }
}

// 33 pixels of 1,000 are so far apart that no sixteen bytes have two of them.
TEST(RowInterpolator, ComputesMuchSmallerRows) {
  expect_all_equal(1000, 33, false);
  expect_all_equal(1000, 33, true);
}

TEST(RowInterpolator, TakesNewTaps) {
  const std::vector<std::uint8_t> row = random_row(100, 3);
  RowInterpolator interpolator;
  for (const std::uint32_t into : {50u, 3u, 90u}) {
    const std::vector<Tap> taps = bilinear_taps({100, 0, 100, into});
    interpolator.set_taps(taps, 3);
    std::vector<float> values(taps.size() * 3 + ImageReader::padding_bytes);
    interpolator.interpolate(row.data(), values.data());
    values.resize(taps.size() * 3);
    EXPECT_EQ(values, expected(row, taps, 3)) << into;
  }
}

}  // namespace
}  // namespace carrack::data
