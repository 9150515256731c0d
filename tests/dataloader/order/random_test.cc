#include "dataloader/order/random.h"

#include <gtest/gtest.h>

namespace carrack::data {
namespace {

// kat_vectors of Random123, the library of Philox's authors.
TEST(Philox, HasItsPublishedValues) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Draw{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}), (Draw{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Draw{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, IsAFunctionOfSeedPurposeAndBothCounters) {
  const Draw drawn = Random(1, "order").draw(2, 3);
  EXPECT_EQ(Random(1, "order").draw(2, 3), drawn);
  EXPECT_NE(Random(std::uint64_t{1} << 32, "order").draw(2, 3), drawn);
  EXPECT_NE(Random(1, "dropout").draw(2, 3), drawn);
  EXPECT_NE(Random(1, "order").draw(std::uint64_t{2} << 32, 3), drawn);
  EXPECT_NE(Random(1, "order").draw(2, 4), drawn);
}

TEST(Random, IsTheSameInEachVersion) {
  EXPECT_EQ(Random(42, "order").bits(0, 0), 15333042733396968379u);
}

}  // namespace
}  // namespace carrack::data
