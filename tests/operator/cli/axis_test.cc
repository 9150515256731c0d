#include "operator/cli/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace carrack::control {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts_of(const Axis& axis, int most) {
  std::vector<std::string> texts;
  for (const Tick& tick : axis.ticks(most)) texts.push_back(tick.text);
  return texts;
}

TEST(Axis, HasRoundNumbersWithAsManyDigitsAsTheyNeed) {
  EXPECT_THAT(texts_of(Axis::of_values(0.1, 1.93), 4), ElementsAre("0.5", "1.0", "1.5"));
  EXPECT_THAT(texts_of(Axis::of_values(0, 1), 4), ElementsAre("0.0", "0.5", "1.0"));
  EXPECT_THAT(texts_of(Axis::of_values(-30, 40), 4), ElementsAre("-20", "0", "20", "40"));
  EXPECT_THAT(texts_of(Axis::of_values(0.9712, 0.9723), 4), ElementsAre("0.9715", "0.9720"));
  EXPECT_THAT(texts_of(Axis::of_values(1e-9, 9e-9), 3), ElementsAre("5e-9"));
  EXPECT_THAT(texts_of(Axis::of_values(0, 3e7), 3), ElementsAre("0", "1e7", "2e7", "3e7"));
  EXPECT_THAT(texts_of(Axis::of_values(1.25e7, 1.5e7), 3), ElementsAre("1.3e7", "1.4e7", "1.5e7"));
}

TEST(Axis, IsLogarithmicBeyondTwoDecadesOfPositiveValues) {
  EXPECT_FALSE(Axis::of_values(0.01, 1).is_logarithmic());
  EXPECT_FALSE(Axis::of_values(0, 1000).is_logarithmic());
  EXPECT_FALSE(Axis::of_values(-1, 1000).is_logarithmic());
  const Axis axis = Axis::of_values(0.01, 100);
  EXPECT_TRUE(axis.is_logarithmic());
  EXPECT_DOUBLE_EQ(axis.position(0.01), 0);
  EXPECT_DOUBLE_EQ(axis.position(1), 0.5);
  EXPECT_DOUBLE_EQ(axis.position(100), 1);
  EXPECT_THAT(texts_of(axis, 3), ElementsAre("0.01", "1", "100"));
  EXPECT_THAT(texts_of(Axis::of_values(0.02, 40), 5), ElementsAre("0.03", "0.1", "0.3", "1", "3", "10", "30"));
  EXPECT_THAT(texts_of(Axis::of_values(1e-20, 1e20), 4), ElementsAre("1e-20", "1e-9", "100", "1e13"));
}

TEST(Axis, IsWiderThanValuesThatAreNearlyEqual) {
  for (const double value : {1.0, -3.5, 1e-12, 1e300, 0.0}) {
    EXPECT_NEAR(Axis::of_values(value, value).position(value), 0.5, 1e-9) << value;
  }
  EXPECT_THAT(texts_of(Axis::of_values(1000, 1000.0001), 4), ElementsAre("900", "1000", "1100"));
}

TEST(Axis, HasShortNumbersForAnyFiniteValues) {
  constexpr double largest = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  std::vector<std::pair<double, double>> ranges{{-largest, largest},  {0, largest}, {largest, largest},
                                                {-largest, -largest}, {0, least},   {least, least},
                                                {least, largest},     {-least, 1},  {1, largest}};
  std::mt19937_64 random(1);
  const auto any = [&] {
    const double magnitude = std::pow(10.0, static_cast<double>(random() % 600) - 300) * static_cast<double>(random());
    return std::min(random() % 2 == 0 ? magnitude : -magnitude, largest);
  };
  for (int i = 0; i < 3'000; ++i) {
    const double one = any(), other = random() % 2 == 0 ? any() : one * (1 + std::pow(10.0, -double(random() % 16)));
    if (std::isfinite(other)) ranges.emplace_back(std::min(one, other), std::max(one, other));
  }
  for (const auto& [low, high] : ranges) {
    const Axis axis = Axis::of_values(low, high);
    ASSERT_GE(axis.position(high), axis.position(low));
    const std::vector<Tick> ticks = axis.ticks(3);
    ASSERT_TRUE(!ticks.empty() && ticks.size() <= 8) << low << " to " << high << ": " << ticks.size();
    for (const Tick& tick : ticks) {
      ASSERT_TRUE(tick.position >= 0 && tick.position <= 1) << low << " to " << high;
      ASSERT_LE(tick.text.size(), 14) << tick.text;
    }
  }
}

TEST(Axis, CountsSteps) {
  EXPECT_THAT(texts_of(Axis::of_whole_numbers(1, 12'811), 5), ElementsAre("0", "5,000", "10,000"));
  EXPECT_THAT(texts_of(Axis::of_whole_numbers(0, 0), 8), ElementsAre("0", "1"));
  EXPECT_THAT(texts_of(Axis::of_whole_numbers(3, 3), 8), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(texts_of(Axis::of_whole_numbers(1'000'000, 1'100'000), 2),
              ElementsAre("1,000,000", "1,050,000", "1,100,000"));
  const std::vector<Tick> ticks = Axis::of_whole_numbers(7, ~std::uint64_t{0}).ticks(3);
  EXPECT_EQ(ticks.back().text, "10,000,000,000,000,000,000");
}

}  // namespace
}  // namespace carrack::control
