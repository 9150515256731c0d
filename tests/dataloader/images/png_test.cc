// PNGs: every kind of them is the picture, and what is wrong with one is said.
#include <gmock/gmock.h>

#include "tests/dataloader/images/decoding.h"

namespace carrack::data {
namespace {

using Colours = PngMade::Colours;

TEST(Png, KnowsItsSizeAndChannels) {
  ImageDecoder decoder({});
  const auto channels = [&](const PngMade& made) {
    return std::get<ImageInfo>(decoder.info_of(png_of(made))).channels;
  };
  EXPECT_EQ(std::get<ImageInfo>(decoder.info_of(png_of({.height = 3, .width = 5}))),
            (ImageInfo{ImageKind::png, {3, 5}, 3}));
  EXPECT_EQ(channels({.colours = Colours::grey, .bits = 1}), 1u);
  EXPECT_EQ(channels({.colours = Colours::grey_opacity}), 2u);
  EXPECT_EQ(channels({.colours = Colours::palette}), 3u);
  EXPECT_EQ(channels({.colours = Colours::palette, .transparent = true}), 4u);
  EXPECT_EQ(channels({.colours = Colours::rgb_opacity, .bits = 16}), 4u);
}

TEST(Png, EqualsThePicture) {
  for (const bool interlaced : {false, true})
    for (const int bits : {8, 16}) {
      const auto made = decoded(png_of({.height = 13, .width = 29, .bits = bits, .interlaced = interlaced}));
      ASSERT_EQ(made.shape, (ImageShape{13, 29, 3}));
      for (std::uint32_t i = 0; i < made.values.size(); ++i)
        ASSERT_EQ(made.values[i], picture(i / 3 / 29, i / 3 % 29, i % 3));
    }
}

TEST(Png, SpreadsFewBitsOverAllLevels) {
  const auto made = decoded(png_of({.height = 2, .width = 9, .colours = Colours::grey, .bits = 2}), {.channels = 1});
  for (std::uint32_t i = 0; i < made.values.size(); ++i)
    EXPECT_EQ(made.values[i], (picture(i / 9, i % 9, 0) >> 6) * 85);
}

TEST(Png, AddsOrRemovesOpacity) {
  for (const int bits : {1, 2, 4, 8, 16}) {
    const auto whole =
        decoded(png_of({.height = 2, .width = 9, .colours = Colours::grey, .bits = bits}), {.channels = 4});
    for (std::size_t i = 3; i < whole.values.size(); i += 4) EXPECT_EQ(whole.values[i], 255) << bits;
  }
  const Encoded image = png_of({.height = 2, .width = 2, .colours = Colours::rgb_opacity});
  EXPECT_EQ(decoded(image, {.channels = 4}).values[3], picture(0, 0, 3));
  EXPECT_EQ(decoded(image).values[3], picture(0, 1, 0));
}

TEST(Png, CropsToAPartOfTheWhole) {
  for (const bool interlaced : {false, true}) {
    const Encoded image = png_of({.height = 13, .width = 29, .interlaced = interlaced});
    ImageDecoder decoder({});
    const auto whole = decoded(decoder, image);
    for (const Box& box : {Box{0, 0, 1, 1}, Box{12, 28, 1, 1}, Box{3, 5, 7, 11}})
      EXPECT_EQ(decoded(decoder, image, {box}), part(whole, box));
  }
}

TEST(Png, ReportsTruncationUnlessTheRestIsNotNeeded) {
  for (const bool interlaced : {false, true}) {
    const Encoded image = png_of({.height = 64, .width = 64, .interlaced = interlaced});
    for (std::size_t size = 8; size < image.size(); size += size < 100 ? 1 : 37)
      ASSERT_EQ(decoded(front(image, size)).fault,
                "it is cut short: its bytes end before the image does at byte " + std::to_string(size));
  }
  const Encoded image = png_of({.height = 640, .width = 64});
  EXPECT_EQ(decoded(front(image, image.size() / 2), {}, {Box{0, 0, 16, 64}}), decoded(image, {}, {Box{0, 0, 16, 64}}));
}

TEST(Png, ReportsADamagedByte) {
  Encoded image = png_of({.height = 8, .width = 8});
  image[image.size() - 30] ^= std::byte{1};
  EXPECT_THAT(decoded(image).fault, testing::StartsWith("libpng: IDAT: incorrect data check at byte "));
}

void set_size(Encoded& image, std::uint32_t height, std::uint32_t width, std::uint32_t checksum) {
  const auto put = [&](std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) image[at + i] = static_cast<std::byte>(value >> (24 - 8 * i));
  };
  put(16, width);
  put(20, height);
  put(29, checksum);
}

TEST(Png, RefusesAHugeSizeBeforeItTakesMemory) {
  Encoded image = png_of({.height = 8, .width = 8, .colours = Colours::grey, .interlaced = true});
  set_size(image, 40000, 50000, 0xcf88c945);
  const std::string says = "it says that it is 40000x50000 pixels (height x width), ";
  EXPECT_EQ(decoded(image).fault, says + "more than the 268435456 that are allowed");
  EXPECT_EQ(decoded(image, {.pixels_max = std::uint64_t{1} << 32}).fault,
            says + "which its " + std::to_string(image.size()) + " bytes cannot hold");
}

TEST(Png, RefusesAnInterlacedImageThatTakesMoreMemoryThanAllowed) {
  const PngMade made = {.height = 64, .width = 64, .interlaced = true};
  constexpr std::uint64_t needed = 64 * 64 * 3 + 4 * 8 * 64;
  EXPECT_EQ(decoded(png_of(made), {.memory_max_bytes = needed}).fault, "");
  EXPECT_EQ(
      decoded(png_of(made), {.memory_max_bytes = needed - 1}).fault,
      "it says that it is 64x64 pixels (height x width), which takes 14.3 kB of memory to decode; at most 14.3 kB "
      "are allowed");
  EXPECT_EQ(decoded(png_of({.height = 64, .width = 64}), {.memory_max_bytes = needed / 2}).fault, "");
}

}  // namespace
}  // namespace carrack::data
