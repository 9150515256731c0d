#include "trainer/comm/protocol/gradient_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <random>

namespace carrack::train {
namespace {

// Of very different sizes, so that any other order of adding gives other bits.
float value_of(int lane) {
  return std::ldexp(1.0f + 0.37f * static_cast<float>(lane), lane * 7 % 23);
}

LaneSum sum_of(Subtree lanes) {
  if (lanes.size == 1) return {{value_of(lanes.begin), -value_of(lanes.begin)}, {1, value_of(lanes.begin)}};
  LaneSum left = sum_of({lanes.begin, lanes.size / 2});
  const LaneSum right = sum_of({lanes.begin + lanes.size / 2, lanes.size / 2});
  for (std::size_t i = 0; i < left.sum.size(); ++i) left.sum[i] += right.sum[i];
  return {left.sum, {left.counts.records + right.counts.records, left.counts.loss + right.counts.loss}};
}

void expect_total(std::optional<LaneSum> total, int lanes) {
  ASSERT_TRUE(total);
  const LaneSum expected = sum_of({0, lanes});
  for (std::size_t i = 0; i < expected.sum.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(total->sum[i]), std::bit_cast<std::uint32_t>(expected.sum[i]));
  }
  ASSERT_EQ(total->counts.records, expected.counts.records);
  ASSERT_EQ(total->counts.loss, expected.counts.loss);
}

// All ways to cut `lanes` into aligned subtrees.
std::vector<std::vector<Subtree>> divisions_of(Subtree lanes) {
  std::vector<std::vector<Subtree>> all{{lanes}};
  if (lanes.size == 1) return all;
  for (const auto& left : divisions_of({lanes.begin, lanes.size / 2})) {
    for (const auto& right : divisions_of({lanes.begin + lanes.size / 2, lanes.size / 2})) {
      all.push_back(left);
      all.back().insert(all.back().end(), right.begin(), right.end());
    }
  }
  return all;
}

std::vector<Subtree> subtrees_of(int lanes) {
  std::vector<Subtree> all;
  for (int size = 1; size <= lanes; size *= 2) {
    for (int begin = 0; begin < lanes; begin += size) all.push_back({begin, size});
  }
  return all;
}

bool before(const Subtree& left, const Subtree& right) {
  return std::pair(left.begin, left.size) < std::pair(right.begin, right.size);
}

TEST(GradientTree, GivesTheSameBitsForEveryDivisionInEveryOrder) {
  for (const int lanes : {1, 2, 4, 8}) {
    for (std::vector<Subtree> parts : divisions_of({0, lanes})) {
      std::ranges::sort(parts, before);
      do {
        GradientTree tree(lanes);
        for (const Subtree& part : parts) {
          ASSERT_FALSE(tree.take_total());
          tree.add(part, sum_of(part));
        }
        ASSERT_NO_FATAL_FAILURE(expect_total(tree.take_total(), lanes));
        ASSERT_FALSE(tree.take_total()) << "it is empty after";
      } while (std::ranges::next_permutation(parts, before).found);
    }
  }
}

// Every sequence of three subtrees of four lanes, however they overlap or repeat, and then what is missing.
TEST(GradientTree, TakesWhatOverlapsAndWhatComesTwice) {
  const std::vector<Subtree> all = subtrees_of(4);
  for (const Subtree& first : all) {
    for (const Subtree& second : all) {
      for (const Subtree& third : all) {
        GradientTree tree(4);
        for (const Subtree& part : {first, second, third}) tree.add(part, sum_of(part));
        for (int lane = 0; lane < 4; ++lane) tree.add({lane, 1}, sum_of({lane, 1}));
        ASSERT_NO_FATAL_FAILURE(expect_total(tree.take_total(), 4));
      }
    }
  }
}

TEST(GradientTree, IsWholeExactlyWhenEveryLaneIsIn) {
  std::mt19937 random(1);
  const std::vector<Subtree> all = subtrees_of(16);
  for (int round = 0; round < 20'000; ++round) {
    GradientTree tree(16);
    unsigned in = 0;
    while (in != 0xffff) {
      ASSERT_FALSE(tree.take_total());
      const Subtree part = all[random() % (random() % 2 == 0 ? 16 : all.size())];
      tree.add(part, sum_of(part));
      in |= ((1u << part.size) - 1) << part.begin;
    }
    ASSERT_NO_FATAL_FAILURE(expect_total(tree.take_total(), 16));
  }
}

TEST(GradientTree, KnowsWhatIsASubtree) {
  const GradientTree tree(8);
  for (int begin = -9; begin <= 9; ++begin) {
    for (int size = -9; size <= 17; ++size) {
      const bool fits =
          (size == 1 || size == 2 || size == 4 || size == 8) && begin >= 0 && begin % size == 0 && begin + size <= 8;
      EXPECT_EQ(tree.fits({begin, size}), fits) << begin << " " << size;
    }
  }
  constexpr int lowest = std::numeric_limits<int>::min();
  constexpr int highest = std::numeric_limits<int>::max();
  for (const int number : {lowest, highest}) {
    EXPECT_FALSE(tree.fits({0, number}));
    EXPECT_FALSE(tree.fits({number, 1}));
    EXPECT_FALSE(tree.fits({number, number}));
  }
}

TEST(GradientTree, AddsWhatItsLanesLeaveOut) {
  GradientTree tree(4);
  tree.add({2, 2}, {{1}, {.records = 3, .skipped = {1, "third"}}});
  tree.add({1, 1}, {{1}, {.records = 0, .skipped = {2, "second"}}});
  tree.add({0, 1}, {{1}, {.records = 2}});
  const std::optional<LaneSum> total = tree.take_total();
  ASSERT_TRUE(total);
  EXPECT_EQ(total->counts.records, 5u);
  EXPECT_EQ(total->counts.skipped, (Skipped{3, "second"}));
}

}  // namespace
}  // namespace carrack::train
