#include "trainer/kernels/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "tests/trainer/kernels/naive.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

constexpr std::size_t size = 5;

std::vector<float> lane_values(int lane) {
  return naive::numbers(size, static_cast<std::uint32_t>(lane + 1));
}

// The tree, written down: halves of halves.
std::vector<float> naive_total(int begin, int lanes) {
  if (lanes == 1) return lane_values(begin);
  std::vector<float> left = naive_total(begin, lanes / 2);
  const std::vector<float> right = naive_total(begin + lanes / 2, lanes / 2);
  for (std::size_t i = 0; i < size; ++i) left[i] = left[i] + right[i];
  return left;
}

// What one worker does with its run of lanes, handed on to `total`.
void work(Range run, int lanes, TreeSum& total) {
  TreeSum own(lanes, size);
  for (std::int64_t lane = run.begin; lane < run.end; ++lane) {
    std::vector<float> values = own.buffer();
    std::ranges::copy(lane_values(static_cast<int>(lane)), values.begin());
    own.add({static_cast<int>(lane), 1}, std::move(values));
  }
  std::vector<Subtree> sent;
  for (const auto& [subtree, values] : own.partials()) {
    total.add(subtree, {values.begin(), values.end()});
    sent.push_back(subtree);
  }
  ASSERT_EQ(sent, aligned_subtrees(run));
}

TEST(EqualPart, CoversAllInOrderWithTheLargerPartsFirst) {
  for (std::int64_t total = 0; total <= 40; ++total) {
    for (std::int64_t parts = 1; parts <= 12; ++parts) {
      std::int64_t at = 0, last_size = total;
      for (std::int64_t index = 0; index < parts; ++index) {
        const Range part = equal_part(total, parts, index);
        ASSERT_EQ(part.begin, at);
        ASSERT_LE(part.size(), last_size);
        ASSERT_TRUE(part.size() == total / parts || part.size() == total / parts + 1);
        at = part.end;
        last_size = part.size();
      }
      ASSERT_EQ(at, total);
    }
  }
}

TEST(AlignedSubtrees, OfAnyRunAreAlignedAndCoverItAndNoTwoOfThemAreOne) {
  for (int begin = 0; begin < 64; ++begin) {
    for (int end = begin; end <= 64; ++end) {
      int at = begin;
      Subtree last{-1, 0};
      for (const Subtree& subtree : aligned_subtrees({begin, end})) {
        ASSERT_EQ(subtree.begin, at);
        ASSERT_EQ(subtree.begin % subtree.size, 0);
        const bool siblings = last.size == subtree.size && last.begin % (2 * last.size) == 0;
        ASSERT_FALSE(siblings) << "lanes " << begin << " to " << end;
        at += subtree.size;
        last = subtree;
      }
      ASSERT_EQ(at, end);
    }
  }
}

// A set bit of `cuts` ends a worker's run: all 2^(lanes - 1) ways to give out lanes.
TEST(TreeSum, OfEverySplitOverWorkersHasTheSameBits) {
  for (const int lanes : {1, 2, 4, 8, 16}) {
    const std::vector<float> expected = naive_total(0, lanes);
    TreeSum total(lanes, size);
    for (unsigned cuts = 0; cuts < 1u << (lanes - 1); ++cuts) {
      total.clear();
      int begin = 0;
      for (int end = 1; end <= lanes; ++end) {
        if (end < lanes && (cuts >> (end - 1) & 1) == 0) continue;
        work({begin, end}, lanes, total);
        begin = end;
      }
      ASSERT_TRUE(std::ranges::equal(total.total(), expected)) << lanes << " lanes, cuts " << cuts;
    }
  }
}

TEST(TreeSum, OfEveryOrderOfArrivalHasTheSameBits) {
  const int lanes = 8;
  const std::vector<float> expected = naive_total(0, lanes);
  std::vector<int> order(lanes);
  std::iota(order.begin(), order.end(), 0);
  TreeSum total(lanes, size);
  do {
    total.clear();
    for (const int lane : order) {
      ASSERT_FALSE(total.complete());
      total.add({lane, 1}, lane_values(lane));
    }
    ASSERT_TRUE(std::ranges::equal(total.total(), expected));
  } while (std::ranges::next_permutation(order).found);
}

TEST(TreeSum, TellsASumInAnotherOrderApart) {
  std::vector<float> one_by_one = lane_values(0);
  for (int lane = 1; lane < 8; ++lane) {
    for (std::size_t i = 0; i < size; ++i) one_by_one[i] += lane_values(lane)[i];
  }
  EXPECT_NE(one_by_one, naive_total(0, 8)) << "the numbers of this test show no difference: choose others";
}

TEST(TreeSum, InOrderHoldsOneVectorForEachLevel) {
  const int lanes = 1024;
  TreeSum total(lanes, size);
  for (int lane = 0; lane < lanes; ++lane) {
    total.add({lane, 1}, lane_values(lane));
    ASSERT_LE(total.partials().size(), 10u);
  }
  EXPECT_TRUE(std::ranges::equal(total.total(), naive_total(0, lanes)));
}

TEST(TreeSum, UsesItsVectorsAgain) {
  TreeSum total(2, size);
  std::vector<float> left = total.buffer(), right = total.buffer();
  const std::set<const float*> given{left.data(), right.data()};
  total.add({0, 1}, std::move(left));
  total.add({1, 1}, std::move(right));
  total.clear();
  EXPECT_FALSE(total.complete());
  left = total.buffer();
  right = total.buffer();
  EXPECT_EQ((std::set<const float*>{left.data(), right.data()}), given);
}

void expect_bug(const char* text, const std::function<void()>& act) {
  try {
    act();
    FAIL() << "expected: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::bug);
    EXPECT_STREQ(error.what(), text);
  }
}

TEST(TreeSum, RefusesWhatIsNoSubtreeOrCameBefore) {
  expect_bug("TreeSum: 6 lanes are not a power of two", [] { TreeSum(6, size); });
  expect_bug("TreeSum: 0 lanes are not a power of two", [] { TreeSum(0, size); });
  expect_bug("TreeSum: nothing to sum", [] { TreeSum(8, 0); });
  TreeSum total(8, size);
  const char* none = "TreeSum: not a sum of a subtree of these lanes";
  for (const Subtree bad :
       {Subtree{1, 2}, Subtree{0, 3}, Subtree{8, 1}, Subtree{-1, 1}, Subtree{0, 16}, Subtree{0, 0}}) {
    expect_bug(none, [&] { total.add(bad, std::vector<float>(size)); });
  }
  expect_bug(none, [&] { total.add({0, 1}, std::vector<float>(size + 1)); });
  total.add({4, 2}, std::vector<float>(size));
  expect_bug("TreeSum: lane 5 comes twice", [&] { total.add({5, 1}, std::vector<float>(size)); });
  expect_bug("TreeSum: lane 4 comes twice", [&] { total.add({4, 4}, std::vector<float>(size)); });
  expect_bug("TreeSum: lanes are missing", [&] { total.total(); });
}

}  // namespace
}  // namespace carrack::train
