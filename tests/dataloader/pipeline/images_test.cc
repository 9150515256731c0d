#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/pipeline/reading.h"
#include "dataloader/pipeline/rows/image_function.h"
#include "tests/dataloader/images/decoding.h"
#include "tests/dataloader/images/encoded.h"

namespace carrack::data {
namespace {

const Storages storages{StorageSettings{}};

// The last one is none.
Rows encoded(std::size_t count) {
  const auto images = std::make_shared<std::vector<Encoded>>();
  Rows rows;
  LargeVector<std::string_view> views;
  for (std::uint32_t i = 0; i < count; ++i) images->push_back(jpeg_of({.height = 40 + i, .width = 60}));
  images->push_back(Encoded(3));
  for (const Encoded& image : *images) views.emplace_back(reinterpret_cast<const char*>(image.data()), image.size());
  rows.count = images->size();
  rows.columns.push_back({"image", std::move(views)});
  rows.memory.push_back(images);
  return rows;
}

const ImageRequest small{.size = ImageSize{8, 12}};

std::vector<Rows> read(const Dataset& dataset, unsigned cpus = 3) {
  Reading reading(dataset, storages, {.cpus = cpus, .on_damage = OnDamage::skip});
  std::vector<Rows> all;
  while (std::optional<Rows> rows = reading.next()) all.push_back(*std::move(rows));
  return all;
}

TEST(Images, BecomePixelsOfOneSizeAndTheUndecodableAreLost) {
  const Dataset dataset = Dataset::rows(encoded(5)).map("decode", decode_images({.column = "image", .request = small}));
  Reading reading(dataset.batch(10), storages, {.on_damage = OnDamage::skip});
  const Rows rows = reading.next().value();
  EXPECT_EQ(rows.count, 5u);
  EXPECT_EQ(rows.column("image").item, (std::vector<std::size_t>{8, 12, 3}));
  const auto& pixels = std::get<LargeVector<float>>(rows.column("image").values);
  const auto third = decoded<float>(jpeg_of({.height = 42, .width = 60}), small);
  EXPECT_TRUE(std::equal(third.values.begin(), third.values.end(), pixels.begin() + 2 * 8 * 12 * 3));
  ASSERT_EQ(reading.lost(), 1u);
  EXPECT_EQ(reading.first_lost()[0].message, "the image in \"image\": it begins neither as a JPEG nor as a PNG does");
}

TEST(Images, AreCutAnewInEachEpochTheSameForWhoeverReads) {
  const ImageFunction drawn{
      .column = "image", .request = small, .crop = RandomCropRange{}, .mirror = true, .as_bytes = true};
  const Dataset dataset = Dataset::rows(encoded(20)).shuffle().map("decode", decode_images(drawn)).batch(21).repeat(2);
  const std::vector<Rows> one = read(dataset, 1), four = read(dataset, 4);
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].columns, four[0].columns);
  EXPECT_EQ(one[1].columns, four[1].columns);
  // The same image in both epochs, cut in two ways.
  const auto image_of = [](const Rows& rows, std::uint64_t number) {
    const auto row = std::ranges::find(rows.places, number, &Place::number) - rows.places.begin();
    const auto& pixels = std::get<LargeVector<std::uint8_t>>(rows.column("image").values);
    return std::vector(pixels.begin() + row * 288, pixels.begin() + (row + 1) * 288);
  };
  EXPECT_NE(image_of(one[0], 7), image_of(one[1], 7));
}

// What is kept is the image; what is drawn of it is drawn behind.
TEST(Images, AreCutAnewInEachEpochBehindACache) {
  const auto cut = decode_images({.column = "image", .request = small, .crop = RandomCropRange{}});
  const Dataset images = Dataset::rows(encoded(20));
  for (const Dataset& dataset :
       {images.cache(1 << 20).map("decode", cut).batch(21), images.batch(21).cache(1 << 20).map("decode", cut)}) {
    const std::vector<Rows> epochs = read(dataset.repeat(2));
    ASSERT_EQ(epochs.size(), 2u);
    EXPECT_NE(epochs[0].columns, epochs[1].columns);
  }
}

std::string problem(const ImageFunction& asked) {
  try {
    read(Dataset::rows(encoded(2)).map("decode", decode_images(asked)));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Images, OfNoSizeOrColumnAreRefused) {
  EXPECT_EQ(problem({.column = "image"}), "images: name the size, as a batch has one shape");
  EXPECT_EQ(problem({.column = "image", .request = {.channels = 0, .size = ImageSize{8, 8}}}),
            "images: name the number of channels, as a batch has one shape");
  EXPECT_EQ(problem({.column = "other", .request = small}), "there is no column \"other\"; there are: image");
  EXPECT_EQ(problem({.column = "image", .crop = Box{0, 0, 5, 6}}), "none");
}

}  // namespace
}  // namespace carrack::data
