// Which part of an image is looked at.
#include "dataloader/images/crop.h"

#include <gmock/gmock.h>

#include <cmath>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

constexpr ImageSize image = {100, 60};

TEST(Crop, IsTheWholeImageOrItsMiddle) {
  EXPECT_EQ(box_of(WholeImage(), image), (Box{0, 0, 100, 60}));
  EXPECT_EQ(box_of(CentralFraction{1}, image), (Box{0, 0, 100, 60}));
  EXPECT_EQ(box_of(CentralFraction{0.5}, image), (Box{25, 15, 50, 30}));
  EXPECT_EQ(box_of(CentralFraction{0.875}, image), (Box{6, 3, 88, 54}));
  EXPECT_EQ(box_of(CentralFraction{1e-9}, {3, 2}), (Box{1, 0, 1, 2}));
  EXPECT_EQ(box_of(CentralFraction{1e-17}, {3, 2}), (Box{1, 0, 1, 2}));
}

TEST(Crop, RefusesABoxOutsideOfTheImage) {
  EXPECT_EQ(box_of(Box{1, 2, 99, 58}, image), (Box{1, 2, 99, 58}));
  EXPECT_EQ(box_of(Box{1, 2, 100, 58}, image), std::nullopt);
  EXPECT_EQ(box_of(Box{1, 2, 99, 59}, image), std::nullopt);
  EXPECT_EQ(box_of(Box{1, 2, 0, 1}, image), std::nullopt);
  EXPECT_EQ(box_of(Box{1, 2, 1, 0}, image), std::nullopt);
  EXPECT_EQ(box_of(Box{0xffffffff, 0, 2, 1}, image), std::nullopt);
}

TEST(Crop, FollowsTheRandomNumbers) {
  EXPECT_EQ(box_of(RandomCrop{0.24, 1, 0, 0}, image), (Box{0, 0, 38, 38}));
  EXPECT_EQ(box_of(RandomCrop{0.24, 1, 1, 1}, image), (Box{62, 22, 38, 38}));
  EXPECT_EQ(box_of(RandomCrop{0.24, 4.0 / 3, 0.5, 0.5}, image), (Box{34, 8, 33, 44}));
}

TEST(Crop, ShrinksACropThatIsTooWideOrHigh) {
  EXPECT_EQ(box_of(RandomCrop{1, 1, 0.5, 0.5}, image), (Box{20, 0, 60, 60}));
  EXPECT_EQ(box_of(RandomCrop{1, 0.25, 0.5, 0.5}, image), (Box{0, 18, 100, 25}));
  EXPECT_EQ(box_of(RandomCrop{1, 1e9, 0.5, 0.5}, image), (Box{50, 0, 1, 60}));
  EXPECT_EQ(box_of(RandomCrop{1e-12, 1, 1, 1}, {1, 1}), (Box{0, 0, 1, 1}));
}

TEST(Crop, RefusesNumbersOutOfRange) {
  const auto words = [](const Crop& crop) -> std::string {
    try {
      box_of(crop, image);
    } catch (const Refused& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_EQ(words(CentralFraction{0}), "a crop's fraction is 0.000000; it must be above 0 and at most 1");
  EXPECT_EQ(words(CentralFraction{1.5}), "a crop's fraction is 1.500000; it must be above 0 and at most 1");
  EXPECT_EQ(words(CentralFraction{std::nan("")}), "a crop's fraction is nan; it must be above 0 and at most 1");
  EXPECT_EQ(words(RandomCrop{.area = 2}), "a crop's area is 2.000000; it must be above 0 and at most 1");
  EXPECT_EQ(words(RandomCrop{.aspect = INFINITY}), "a crop's aspect is inf; it must be above 0");
  EXPECT_EQ(words(RandomCrop{.from_top = -1}), "a crop's from_top is -1.000000; it must be from 0 to 1");
  EXPECT_EQ(words(RandomCrop{.from_left = 2}), "a crop's from_left is 2.000000; it must be from 0 to 1");
}

}  // namespace
}  // namespace carrack::data
