#include "trainer/kernels/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace carrack::train {
namespace {

// The authors' known answers (Random123, kat_vectors).
TEST(Philox, GivesItsAuthorsNumbers) {
  using Four = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Uniform, DependsOnEachArgument) {
  const Purpose purpose = Purpose::initial_value;
  const std::set<float> drawn{uniform(1, purpose, "w", 0),          uniform(2, purpose, "w", 0),
                              uniform(1ull << 32, purpose, "w", 0), uniform(1, purpose, "b", 0),
                              uniform(1, purpose, "w", 1),          uniform(1, purpose, "w", 1ull << 32),
                              uniform(1, Purpose{2}, "w", 0)};
  EXPECT_EQ(drawn.size(), 7u);
}

TEST(Uniform, IsEvenFromZeroToBelowOne) {
  constexpr int count = 100000, bins = 10;
  std::array<int, bins> in_bin{};
  for (int i = 0; i < count; ++i) {
    const float drawn = uniform(7, Purpose::initial_value, "w", static_cast<std::uint64_t>(i));
    ASSERT_GE(drawn, 0.0f);
    ASSERT_LT(drawn, 1.0f);
    ++in_bin[static_cast<std::size_t>(drawn * bins)];
  }
  for (const int number : in_bin) EXPECT_NEAR(number, count / bins, 5 * std::sqrt(count / bins));
}

// The probability of less than a normal number is uniform.
TEST(Normal, IsSpreadLikeANormalDistribution) {
  double worst = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double number = normal(7, Purpose::initial_value, "w", i);
    const double below = std::erfc(-number / std::sqrt(2.0)) / 2;
    const double drawn = uniform(7, Purpose::initial_value, "w", i) + 0x1p-25;
    worst = std::max(worst, std::fabs(below - drawn) / std::min(drawn, 1 - drawn));
  }
  EXPECT_LT(worst, 3e-6);
}

// No machine may round them differently.
TEST(Normal, HasTheSameBitsEverywhere) {
  EXPECT_EQ(normal(7, Purpose::initial_value, "w", 0), 0x1.0d6d4f9156f6ep-1);
  EXPECT_EQ(normal(7, Purpose::initial_value, "w", 37), 0x1.4691b61a3e278p+1);
  EXPECT_EQ(truncated_normal(7, Purpose::initial_value, "w", 0), 0x1.000fd84a16025p-1);
  EXPECT_EQ(truncated_normal(7, Purpose::initial_value, "w", 37), 0x1.e9bcb65380cdp+0);
}

}  // namespace
}  // namespace carrack::train
