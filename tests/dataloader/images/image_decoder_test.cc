// From bytes into a row of a batch: shapes, sizes, layouts, numbers, and what is refused.
#include "dataloader/images/image_decoder.h"

#include <gmock/gmock.h>

#include <cmath>

#include "dataloader/error.h"
#include "tests/dataloader/images/decoding.h"

namespace carrack::data {
namespace {

using testing::ElementsAre;
using Colours = PngMade::Colours;

const Encoded grey_row = png_of({.height = 1, .width = 4, .colours = Colours::grey});
const std::uint8_t first = picture(0, 0, 0), second = picture(0, 1, 0), third = picture(0, 2, 0),
                   last = picture(0, 3, 0);

TEST(ImageDecoder, KnowsTheShapeBeforeDecoding) {
  const ImageInfo image = {ImageKind::png, {10, 20}, 4};
  EXPECT_EQ(ImageDecoder({.channels = 0}).shape_of(image, WholeImage()), (ImageShape{10, 20, 4}));
  EXPECT_EQ(ImageDecoder({}).shape_of(image, Box{1, 2, 3, 4}), (ImageShape{3, 4, 3}));
  EXPECT_EQ(ImageDecoder({.size = ImageSize{5, 6}}).shape_of(image, Box{1, 2, 3, 4}), (ImageShape{5, 6, 3}));
  EXPECT_EQ(ImageDecoder({.size = ImageSize{5, 6}}).shape_of(image, Box{9, 2, 3, 4}), std::nullopt);
}

TEST(ImageDecoder, InterpolatesBetweenTheCentresOfPixels) {
  const ImageRequest request = {.channels = 1, .size = ImageSize{1, 8}};
  const float step = 0.25f * static_cast<float>(second - first);
  const auto values = decoded<float>(grey_row, request).values;
  EXPECT_FLOAT_EQ(values[0], first);
  EXPECT_FLOAT_EQ(values[1], first + step);
  EXPECT_FLOAT_EQ(values[2], second - step);
  EXPECT_FLOAT_EQ(values[7], last);
}

TEST(ImageDecoder, SupportsNearestAndArea) {
  ImageRequest request = {.channels = 1, .size = ImageSize{1, 2}, .interpolation = Interpolation::nearest};
  EXPECT_THAT(decoded(grey_row, request).values, ElementsAre(second, last));
  request.interpolation = Interpolation::area;
  EXPECT_THAT(decoded<float>(grey_row, request).values, ElementsAre(testing::FloatEq(0.5f * first + 0.5f * second),
                                                                    testing::FloatEq(0.5f * third + 0.5f * last)));
}

TEST(ImageDecoder, MirrorsLeftToRight) {
  EXPECT_THAT(decoded(grey_row, {.channels = 1}, {WholeImage(), true}).values, ElementsAre(last, third, second, first));
}

TEST(ImageDecoder, SupportsChannelsLastAndFirst) {
  const Encoded image = png_of({.height = 2, .width = 3});
  const auto lying = decoded(image);
  for (const auto& planes : {decoded<float>(image, {.layout = Layout::channels_first})})
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t channel = 0; channel < 3; ++channel)
        EXPECT_EQ(planes.values[channel * 6 + i], lying.values[i * 3 + channel]);
  const auto floats = decoded<float>(image, {.layout = Layout::channels_first}).values;
  const auto bytes = decoded(image, {.layout = Layout::channels_first}).values;
  EXPECT_TRUE(std::equal(floats.begin(), floats.end(), bytes.begin(), bytes.end()));
}

TEST(ImageDecoder, ScalesEachChannel) {
  const Encoded image = png_of({.height = 1, .width = 2});
  const auto values = decoded<float>(image, {.scale = {2, 0.5f, 0}, .offset = {1, 0, 7}}).values;
  EXPECT_EQ(values[0], 2.0f * picture(0, 0, 0) + 1);
  EXPECT_EQ(values[4], 0.5f * picture(0, 1, 1));
  EXPECT_EQ(values[5], 7);
}

TEST(ImageDecoder, RoundsToTheNearestByte) {
  const auto bytes = [](float scale, float offset) {
    const ImageRequest request = {.channels = 1, .scale = {scale}, .offset = {offset}};
    return decoded(png_of({.colours = Colours::grey}), request).values[0];
  };
  EXPECT_EQ(bytes(0, 99.4f), 99);
  EXPECT_EQ(bytes(0, 99.5f), 100);
  EXPECT_EQ(bytes(0, -1), 0);
  EXPECT_EQ(bytes(0, 255.9f), 255);
  EXPECT_EQ(bytes(1e30f, 0), 255);
}

TEST(ImageDecoder, DoesNotDependOnTheImagesBefore) {
  const std::vector<Encoded> images = {jpeg_of({.height = 61, .width = 83}), png_of({.height = 70, .width = 9}),
                                       jpeg_of({.colours = JpegMade::Colours::cmyk}), front(jpeg_of({}), 200),
                                       jpeg_of({.height = 5, .width = 900, .progressive = true})};
  for (const Interpolation interpolation : {Interpolation::bilinear, Interpolation::area}) {
    const ImageRequest request = {.size = ImageSize{31, 17}, .interpolation = interpolation};
    ImageDecoder decoder(request);
    for (const Encoded& before : images) {
      for (const Encoded& image : images) {
        decoded<float>(decoder, before);
        ASSERT_EQ(decoded<float>(decoder, image), decoded<float>(image, request));
      }
    }
  }
}

TEST(ImageDecoder, NamesOtherFormats) {
  EXPECT_EQ(decoded({}).fault, "it is empty");
  EXPECT_EQ(decoded(bytes_of("GIF89a")).fault, "it is a GIF, and only JPEG and PNG are decoded");
  EXPECT_EQ(decoded(bytes_of("BM12")).fault, "it is a BMP, and only JPEG and PNG are decoded");
  EXPECT_EQ(decoded(bytes_of("RIFF....WEBPVP8 ")).fault, "it is a WebP, and only JPEG and PNG are decoded");
  EXPECT_EQ(decoded(bytes_of("....ftypavif")).fault, "it is an AVIF, and only JPEG and PNG are decoded");
  EXPECT_EQ(decoded(bytes_of("x")).fault, "it begins neither as a JPEG nor as a PNG does");
  EXPECT_EQ(decoded(bytes_of("\xff\xd8")).fault, "it begins neither as a JPEG nor as a PNG does");
}

TEST(ImageDecoder, DescribesWhatDoesNotFit) {
  EXPECT_EQ(decoded(grey_row, {}, {Box{0, 1, 1, 4}}).fault,
            "its 1x4 pixels do not hold the crop of 1x4 at row 0, column 1");
  ImageDecoder decoder({.channels = 0});
  std::vector<float> row(5);
  EXPECT_EQ(decoder.decode(grey_row, {}, std::span(row))->message,
            "it becomes 1x4x1 values, and the row has room for 5");
}

TEST(ImageDecoder, RefusesContradictoryRequests) {
  const auto words = [](const ImageRequest& request) -> std::string {
    try {
      ImageDecoder decoder(request);
    } catch (const Refused& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(words({.channels = 2}), "images have 1, 3 or 4 channels, or with 0 those that there are; not 2");
  EXPECT_EQ(words({.channels = 5}), "images have 1, 3 or 4 channels, or with 0 those that there are; not 5");
  EXPECT_EQ(words({.size = ImageSize{0, 3}}), "images cannot be resized to 0x3 pixels");
  EXPECT_EQ(words({.scale = {1, std::nanf("")}}),
            "the values of images cannot be scaled by a number that is not finite");
  EXPECT_EQ(words({.offset = {INFINITY}}), "the values of images cannot be scaled by a number that is not finite");
  EXPECT_EQ(words({.size = ImageSize{3, 0}}), "images cannot be resized to 3x0 pixels");
}

}  // namespace
}  // namespace carrack::data
