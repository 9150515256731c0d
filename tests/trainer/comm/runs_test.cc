#include "trainer/comm/protocol/runs.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "trainer/comm/protocol/wire_runs.h"

namespace carrack::train {
namespace {

constexpr std::uint64_t numbers = 24;

std::vector<BatchRun> runs_of(const std::set<std::uint64_t>& members) {
  std::vector<BatchRun> runs;
  for (const std::uint64_t member : members) {
    if (!runs.empty() && runs.back().end == member) {
      ++runs.back().end;
    } else {
      runs.push_back({member, member + 1});
    }
  }
  return runs;
}

void expect_same(const BatchSet& runs, const std::set<std::uint64_t>& members) {
  ASSERT_EQ(runs.list(), runs_of(members));
  ASSERT_EQ(runs.count(), members.size());
  ASSERT_EQ(runs.upper_bound(), members.empty() ? 0 : *members.rbegin() + 1);
  for (std::uint64_t n = 0; n < numbers; ++n) {
    ASSERT_EQ(runs.contains(n), members.contains(n)) << n;
    std::uint64_t absent = n;
    while (members.contains(absent)) ++absent;
    ASSERT_EQ(runs.first_absent(n), absent) << n;
  }
}

TEST(BatchSet, AreASetInWhateverOrderNumbersAndRunsCome) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    BatchSet runs;
    std::set<std::uint64_t> members;
    for (int step = 0; step < 12; ++step) {
      const std::uint64_t begin = random() % numbers;
      if (random() % 2 == 0) {
        ASSERT_EQ(runs.add(begin), members.insert(begin).second);
      } else {
        const std::uint64_t end = random() % (numbers + 1);
        runs.add(BatchRun{begin, end});
        for (std::uint64_t n = begin; n < end; ++n) members.insert(n);
      }
      ASSERT_NO_FATAL_FAILURE(expect_same(runs, members));
    }
    ASSERT_EQ(BatchSet(runs.list()), runs);
    ASSERT_EQ(runs_from(wire_from(runs.list())), std::optional(runs));
  }
}

TEST(BatchSet, IntersectAsSetsDo) {
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    BatchSet left;
    BatchSet right;
    std::set<std::uint64_t> both;
    const std::uint64_t members = random() | random();
    const std::uint64_t others = random() | random();
    for (std::uint64_t n = 0; n < numbers; ++n) {
      if (members >> n & 1) left.add(n);
      if (others >> n & 1) right.add(n);
      if ((members & others) >> n & 1) both.insert(n);
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(intersection(left, right), both));
  }
}

TEST(BatchSet, TakeRunsThatTouchTheEndsOfTheNumbers) {
  constexpr std::uint64_t last = ~std::uint64_t{0};
  BatchSet runs({{last - 1, last}, {0, 1}, {5, 5}, {7, 6}});
  EXPECT_EQ(runs.list(), (std::vector<BatchRun>{{0, 1}, {last - 1, last}}));
  EXPECT_EQ(runs.first_absent(last - 1), last);
}

}  // namespace
}  // namespace carrack::train
