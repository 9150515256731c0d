#include "trainer/comm/protocol/arrival_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace carrack::train {
namespace {

LaneSum sum_of(float value) {
  return {{value, -value}, 1, 2.0};
}

TEST(ArrivalSum, IsCompleteWithEveryLaneInWhateverOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const std::uint32_t lanes = std::uniform_int_distribution<std::uint32_t>(1, 40)(random);
    std::vector<LaneRun> runs;
    for (std::uint32_t begin = 0; begin < lanes;) {
      const std::uint32_t end = std::uniform_int_distribution<std::uint32_t>(begin + 1, lanes)(random);
      runs.push_back({1, lanes, begin, end});
      begin = end;
    }
    std::ranges::shuffle(runs, random);
    ArrivalSum sum;
    for (const LaneRun& run : runs) {
      EXPECT_EQ(sum.take_total(), std::nullopt);
      sum.add(run, sum_of(static_cast<float>(run.end - run.begin)));
      sum.add(run, sum_of(1000));  // It comes twice.
    }
    const std::optional<LaneSum> total = sum.take_total();
    ASSERT_TRUE(total);
    const auto all = static_cast<float>(lanes);
    EXPECT_EQ(total->sum, (Floats{all, -all}));
    EXPECT_EQ(total->records, runs.size());
    EXPECT_EQ(total->loss, 2.0 * static_cast<double>(runs.size()));
    EXPECT_EQ(sum.take_total(), std::nullopt) << "it starts anew";
  }
}

TEST(ArrivalSum, IgnoresLanesThatWereAddedAlready) {
  ArrivalSum sum;
  sum.add({1, 4, 1, 3}, sum_of(1));
  for (const auto& [begin, end] : {std::pair{0u, 2u}, {2u, 4u}, {0u, 4u}, {2u, 3u}}) {
    sum.add({1, 4, begin, end}, sum_of(1000));
  }
  sum.add({1, 4, 0, 1}, sum_of(2));
  sum.add({1, 4, 3, 4}, sum_of(4));
  EXPECT_EQ(sum.take_total()->sum, (Floats{7, -7}));
}

TEST(ArrivalSum, StartsAnewWithALaterAssignment) {
  ArrivalSum sum;
  sum.add({1, 4, 0, 3}, sum_of(1000));
  sum.add({2, 4, 2, 4}, sum_of(1));
  sum.add({1, 4, 3, 4}, sum_of(1000));
  sum.add({1, 4, 0, 2}, sum_of(1000));
  EXPECT_FALSE(sum.take_total());
  sum.add({2, 4, 0, 2}, sum_of(2));
  EXPECT_EQ(sum.take_total()->sum, (Floats{3, -3}));
  sum.add({1, 4, 0, 4}, sum_of(1000));
  EXPECT_FALSE(sum.take_total()) << "the next step is of the later assignment, too";
}

TEST(ArrivalSum, KnowsRunsThatNoBatchHas) {
  EXPECT_TRUE(ArrivalSum::is_valid({1, 4, 0, 4}));
  EXPECT_FALSE(ArrivalSum::is_valid({1, 4, 4, 4}));
  EXPECT_FALSE(ArrivalSum::is_valid({1, 4, 3, 5}));
  EXPECT_FALSE(ArrivalSum::is_valid({1, 4, 3, 2}));
}

}  // namespace
}  // namespace carrack::train
