// JPEGs: what is asked for of one is a part of the whole, and what is wrong with one is said.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cmath>

#include "tests/dataloader/images/decoding.h"

namespace carrack::data {
namespace {

using Colours = JpegMade::Colours;

std::vector<JpegMade> kinds() {
  std::vector<JpegMade> kinds;
  for (const auto& [across, down] : {std::pair(1, 1), {2, 1}, {2, 2}, {1, 2}, {4, 1}})
    for (const bool progressive : {false, true})
      kinds.push_back({.height = 61, .width = 83, .across = across, .down = down, .progressive = progressive});
  for (const Colours colours : {Colours::grey, Colours::cmyk, Colours::ycck})
    kinds.push_back({.height = 61, .width = 83, .colours = colours});
  return kinds;
}

TEST(Jpeg, KnowsItsSize) {
  ImageDecoder decoder({});
  EXPECT_EQ(std::get<ImageInfo>(decoder.info_of(jpeg_of({.height = 3, .width = 5}))),
            (ImageInfo{ImageKind::jpeg, {3, 5}, 3}));
  EXPECT_EQ(std::get<ImageInfo>(decoder.info_of(jpeg_of({.colours = Colours::grey}))).channels, 1u);
  EXPECT_EQ(std::get<ImageInfo>(decoder.info_of(jpeg_of({.colours = Colours::ycck}))).channels, 3u);
}

TEST(Jpeg, ResemblesThePicture) {
  const Encoded image = jpeg_of({.height = 61, .width = 83, .across = 1, .down = 1, .quality = 100});
  for (const auto& [dct, tolerance] : {std::pair(Dct::accurate, 4), {Dct::fast, 12}}) {
    const auto made = decoded(image, {.dct = dct});
    for (std::uint32_t i = 0; i < made.values.size(); ++i)
      ASSERT_NEAR(made.values[i], picture(i / 3 / 83, i / 3 % 83, i % 3), tolerance);
  }
}

// The borders of blocks and of colours between pixels are where a decoder goes wrong.
TEST(Jpeg, CropsToAPartOfTheWhole) {
  for (const JpegMade& kind : kinds()) {
    const Encoded image = jpeg_of(kind);
    for (const bool fancy : {true, false}) {
      ImageDecoder decoder({.channels = 0, .fancy_upsampling = fancy});
      const auto whole = decoded(decoder, image);
      for (std::uint32_t begin = 0; begin < 61; begin += 7)
        for (const std::uint32_t size : {1u, 2u, 8u, 16u, 27u, 61u}) {
          const Box box = {begin, begin + 3, std::min(size, 61 - begin), std::min(size, 80 - begin)};
          ASSERT_EQ(decoded(decoder, image, {box}), part(whole, box))
              << "sampled " << kind.across << kind.down << ", progressive " << kind.progressive << ", fancy " << fancy
              << ", " << begin << "+" << size;
        }
    }
  }
}

double distance(const Decoded<float>& one, const Decoded<float>& other) {
  EXPECT_EQ(one.shape, other.shape);
  double sum = 0;
  for (std::size_t i = 0; i < one.values.size(); ++i) sum += std::abs(one.values[i] - other.values[i]);
  return sum / static_cast<double>(one.values.size());
}

TEST(Jpeg, ShrinksWithoutShifting) {
  const Encoded image = jpeg_of({.height = 640, .width = 800});
  const Box box = {33, 45, 511, 702};
  for (const std::uint32_t size : {60u, 100u, 200u}) {
    ImageRequest request = {.size = ImageSize{size, size}, .interpolation = Interpolation::area};
    const auto exact = decoded<float>(image, request, {box});
    request.may_shrink = true;
    const auto shrunk = decoded<float>(image, request, {box});
    EXPECT_GT(distance(exact, shrunk), 0);
    for (const Box& other :
         {Box{28, 45, 511, 702}, Box{38, 45, 511, 702}, Box{33, 40, 511, 702}, Box{33, 50, 511, 702}})
      EXPECT_LT(distance(exact, shrunk), distance(exact, decoded<float>(image, request, {other}))) << size;
  }
  // Not below the size that is asked for.
  ImageRequest request = {.size = ImageSize{257, 257}};
  const auto exact = decoded<float>(image, request, {box});
  request.may_shrink = true;
  EXPECT_EQ(decoded<float>(image, request, {box}), exact);
}

TEST(Jpeg, ReportsTruncationUnlessTheRestIsNotNeeded) {
  for (const bool progressive : {false, true}) {
    const Encoded image = jpeg_of({.height = 64, .width = 64, .progressive = progressive});
    for (std::size_t size = 3; size < image.size(); ++size)
      ASSERT_EQ(decoded(front(image, size)).fault,
                "it is cut short: its bytes end before the image does at byte " + std::to_string(size));
  }
  const Encoded image = jpeg_of({.height = 64, .width = 64});
  const Encoded half = front(image, image.size() * 3 / 4);
  EXPECT_EQ(decoded(half, {}, {Box{0, 0, 16, 64}}), decoded(image, {}, {Box{0, 0, 16, 64}}));
}

TEST(Jpeg, DoesNotUseTablesOfTheImageBefore) {
  const Encoded whole = jpeg_of({.height = 16, .width = 16});
  Encoded without = whole;
  const std::size_t table = 20;  // Behind the JFIF header of 18 bytes there are the quantization tables.
  ASSERT_EQ(without[table], std::byte{0xff});
  ASSERT_EQ(without[table + 1], std::byte{0xdb});
  without[table + 1] = std::byte{0xfe};  // a comment
  ImageDecoder decoder({});
  EXPECT_EQ(decoded(decoder, whole).fault, "");
  EXPECT_THAT(decoded(decoder, without).fault, testing::StartsWith("libjpeg: Quantization table 0x00 was not defined"));
}

TEST(Jpeg, DecodesDamageAsFarAsPossibleUnlessStrict) {
  Encoded image = jpeg_of({.height = 64, .width = 64, .restart_rows = 1});
  image[image.size() / 2] = std::byte{0xff};
  image[image.size() / 2 + 1] = std::byte{0xd9};  // the end
  EXPECT_EQ(decoded(image).fault, "");
  EXPECT_THAT(decoded(image, {.strict = true}).fault,
              testing::StartsWith("libjpeg: Corrupt JPEG data: premature end of data segment at byte "));
}

TEST(Jpeg, RefusesUnsupportedChannels) {
  EXPECT_EQ(decoded(jpeg_of({}), {.channels = 4}).fault, "a JPEG has no opacity; ask for 3 channels, 1 or 0");
  EXPECT_THAT(decoded(jpeg_of({.colours = Colours::cmyk}), {.channels = 1}).fault,
              testing::StartsWith("libjpeg: Unsupported color conversion request"));
  EXPECT_THAT(decoded(jpeg_of({.colours = Colours::unknown})).fault,
              testing::StartsWith("libjpeg: Unsupported color conversion request"));
}

void set_size(Encoded& image, std::uint16_t height, std::uint16_t width) {
  for (std::size_t i = 2;;
       i += 2 + (std::to_integer<std::size_t>(image[i + 2]) << 8) + std::to_integer<std::size_t>(image[i + 3])) {
    const std::byte marker = image[i + 1];
    const bool begins_frame = (marker >= std::byte{0xc0} && marker <= std::byte{0xc2}) || marker == std::byte{0xc9} ||
                              marker == std::byte{0xca};
    if (!begins_frame) continue;
    const std::uint16_t sizes[] = {height, width};
    for (std::size_t j = 0; j < 4; ++j) image[i + 5 + j] = static_cast<std::byte>(sizes[j / 2] >> (8 - j % 2 * 8));
    return;
  }
}

TEST(Jpeg, RefusesAHugeSizeBeforeItTakesMemory) {
  for (const bool progressive : {false, true}) {
    Encoded image = jpeg_of({.height = 16, .width = 16, .progressive = progressive});
    set_size(image, 60000, 50000);
    const std::string says = "it says that it is 60000x50000 pixels (height x width), ";
    EXPECT_EQ(decoded(image).fault, says + "more than the 268435456 that are allowed");
    EXPECT_EQ(decoded(image, {.pixels_max = std::uint64_t{1} << 32}).fault,
              says + "which its " + std::to_string(image.size()) + " bytes cannot hold");
  }
}

// The largest resident size that this process has had.
std::uint64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

// Arithmetic codes of some hundred bytes stand for any number of pixels, so their size bounds nothing.
TEST(Jpeg, RefusesAFewBytesThatWouldTakeGigabytes) {
  for (const bool progressive : {false, true}) {
    Encoded image =
        jpeg_of({.height = 16, .width = 16, .across = 1, .down = 1, .progressive = progressive, .arithmetic = true});
    ASSERT_LT(image.size(), 4096u);
    set_size(image, 16384, 16384);
    const std::uint64_t before = peak_memory_bytes();
    EXPECT_EQ(decoded(image, {.size = ImageSize{8, 8}}).fault,
              "it says that it is 16384x16384 pixels (height x width), more than the 16777216 that are allowed");
    EXPECT_LT(peak_memory_bytes() - before, std::uint64_t{64} << 20);
  }
}

TEST(Jpeg, RefusesMoreMemoryThanAllowedBeforeItIsTaken) {
  const Encoded image = jpeg_of({.height = 256, .width = 256, .progressive = true});
  // 2 bytes for each coefficient, half of them colours, and 64 rows.
  constexpr std::uint64_t needed = 2 * 256 * 256 * 3 / 2 + 64 * 256 * 3;
  EXPECT_EQ(decoded(image, {.memory_max_bytes = needed}).fault, "");
  EXPECT_EQ(decoded(image, {.memory_max_bytes = needed - 1}).fault,
            "it says that it is 256x256 pixels (height x width), which takes 245.8 kB of memory to decode; at most "
            "245.8 kB are allowed");
  EXPECT_EQ(decoded(jpeg_of({.height = 256, .width = 256}), {.memory_max_bytes = needed / 2}).fault, "");
}

TEST(Jpeg, DecodesALargeProgressiveImageWithinTheDefaultLimit) {
  Encoded image = jpeg_of({.height = 16, .width = 16, .progressive = true, .arithmetic = true});
  set_size(image, 4096, 4096);
  const std::uint64_t before = peak_memory_bytes();
  EXPECT_EQ(decoded(image, {.size = ImageSize{8, 8}}).fault, "");
  EXPECT_LT(peak_memory_bytes() - before, ImageRequest().memory_max_bytes);
}

TEST(Jpeg, RefusesThousandsOfScans) {
  Encoded image = jpeg_of({.height = 16, .width = 16, .progressive = true});
  const std::size_t end = image.size() - 2;
  std::size_t scan = end;  // of the last one
  while (image[scan] != std::byte{0xff} || image[scan + 1] != std::byte{0xda}) --scan;
  const Encoded last(image.begin() + static_cast<std::ptrdiff_t>(scan), image.end() - 2);
  image.resize(end);
  for (int i = 0; i < 2000; ++i) image.insert(image.end(), last.begin(), last.end());
  EXPECT_THAT(decoded(image).fault, testing::StartsWith("it has more than 500 scans; encoders write ten at byte "));
}

}  // namespace
}  // namespace carrack::data
