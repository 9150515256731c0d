#include "trainer/comm/protocol/arrival_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace carrack::train {
namespace {

constexpr LaneCounts one_record{1, 2.0, {}};

// Each value of the gradients of a worker is `value` and its place.
Floats gradients(float value, std::size_t size) {
  Floats all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = value + static_cast<float>(i);
  return all;
}

Piece piece_of(float value, std::size_t begin, std::size_t end, std::size_t size) {
  const auto values = std::make_shared<const Floats>(gradients(value, size));
  return {begin, size, {std::as_bytes(std::span(*values).subspan(begin, end - begin))}, values};
}

Piece whole(float value, std::size_t size = 2) {
  return Piece(Tail(gradients(value, size)));
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
      EXPECT_TRUE(sum.add(run, one_record, whole(static_cast<float>(run.end - run.begin))));
      EXPECT_TRUE(sum.add(run, one_record, whole(1000)));  // It comes twice.
    }
    const std::optional<LaneSum> total = sum.take_total();
    ASSERT_TRUE(total);
    const auto all = static_cast<float>(lanes);
    EXPECT_EQ(total->sum, (Floats{all, all + static_cast<float>(runs.size())}));
    EXPECT_EQ(total->counts.records, runs.size());
    EXPECT_EQ(total->counts.loss, 2.0 * static_cast<double>(runs.size()));
    EXPECT_EQ(sum.take_total(), std::nullopt) << "it starts anew";
  }
}

// Streams of several workers, some of which break and are sent again from the beginning: each value of each run counts
// once, whatever comes between, and the counts with the last.
TEST(ArrivalSum, AddsEachValueOfEachRunOnce) {
  std::mt19937 random(2);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  for (int round = 0; round < 2000; ++round) {
    const std::size_t size = 1 + below(12);
    const std::uint32_t workers = 1 + static_cast<std::uint32_t>(below(4));
    std::vector<std::size_t> sent(workers), most(workers);
    ArrivalSum sum;
    for (std::optional<LaneSum> total; !total; total = sum.take_total()) {
      const auto worker = static_cast<std::uint32_t>(below(workers));
      if (sent[worker] == size || below(4) == 0) sent[worker] = 0;  // It pushes again.
      const std::size_t end = std::min(size, sent[worker] + 1 + below(5));
      const LaneRun run{7, 2 * workers, 2 * worker, 2 * worker + 2};
      ASSERT_TRUE(sum.add(run, one_record, piece_of(static_cast<float>(worker), sent[worker], end, size)));
      sent[worker] = end;
      most[worker] = std::max(most[worker], end);
      const bool complete = std::ranges::all_of(most, [&](std::size_t one) { return one == size; });
      total = sum.take_total();
      ASSERT_EQ(total.has_value(), complete);
      if (!total) continue;
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(total->sum[i], static_cast<float>(workers * (workers - 1) / 2 + workers * i));
      }
      ASSERT_EQ(total->counts.records, workers);
      break;
    }
  }
}

TEST(ArrivalSum, RefusesAPieceBehindOneThatIsMissing) {
  ArrivalSum sum;
  EXPECT_FALSE(sum.add({1, 2, 0, 1}, one_record, piece_of(0, 1, 2, 4)));
  EXPECT_TRUE(sum.add({1, 2, 0, 1}, one_record, piece_of(0, 0, 2, 4)));
  EXPECT_FALSE(sum.add({1, 2, 0, 1}, one_record, piece_of(0, 3, 4, 4)));
  EXPECT_FALSE(sum.add({1, 2, 1, 2}, one_record, piece_of(0, 2, 4, 4))) << "each run has its own pieces";
  EXPECT_TRUE(sum.add({1, 2, 0, 1}, one_record, piece_of(0, 1, 4, 4)));
  EXPECT_TRUE(sum.add({1, 2, 1, 2}, one_record, whole(0, 4)));
  EXPECT_EQ(sum.take_total()->sum, (Floats{0, 2, 4, 6}));
}

TEST(ArrivalSum, TakesTheMemoryOfAWholeSumThatComesFirst) {
  Floats values = gradients(0, 2);
  const float* memory = values.data();
  ArrivalSum sum;
  EXPECT_TRUE(sum.add({1, 1, 0, 1}, one_record, Piece(Tail(std::move(values)))));
  EXPECT_EQ(sum.take_total()->sum.data(), memory);
}

TEST(ArrivalSum, IgnoresLanesThatWereAddedAlready) {
  ArrivalSum sum;
  EXPECT_TRUE(sum.add({1, 4, 1, 3}, one_record, whole(1)));
  for (const auto& [begin, end] : {std::pair{0u, 2u}, {2u, 4u}, {0u, 4u}, {2u, 3u}}) {
    EXPECT_TRUE(sum.add({1, 4, begin, end}, one_record, whole(1000)));
  }
  EXPECT_TRUE(sum.add({1, 4, 0, 1}, one_record, whole(2)));
  EXPECT_TRUE(sum.add({1, 4, 3, 4}, one_record, whole(4)));
  EXPECT_EQ(sum.take_total()->sum, (Floats{7, 10}));
}

TEST(ArrivalSum, StartsAnewWithALaterAssignment) {
  ArrivalSum sum;
  EXPECT_TRUE(sum.add({1, 4, 0, 3}, one_record, whole(1000)));
  EXPECT_TRUE(sum.add({2, 4, 2, 4}, one_record, whole(1)));
  EXPECT_TRUE(sum.add({1, 4, 3, 4}, one_record, whole(1000)));
  EXPECT_TRUE(sum.add({1, 4, 0, 2}, one_record, whole(1000)));
  EXPECT_FALSE(sum.take_total());
  EXPECT_TRUE(sum.add({2, 4, 0, 2}, one_record, whole(2)));
  EXPECT_EQ(sum.take_total()->sum, (Floats{3, 5}));
  EXPECT_TRUE(sum.add({1, 4, 0, 4}, one_record, whole(1000)));
  EXPECT_FALSE(sum.take_total()) << "the next step is of the later assignment, too";
}

// A later assignment comes between two pieces by the one before: the rest of that push counts no more.
TEST(ArrivalSum, IgnoresTheRestOfAPushByAnEarlierAssignment) {
  ArrivalSum sum;
  EXPECT_TRUE(sum.add({1, 4, 0, 4}, one_record, piece_of(1000, 0, 2, 4)));
  EXPECT_TRUE(sum.add({2, 4, 0, 4}, {2, 0, {}}, piece_of(0, 0, 1, 4)));
  EXPECT_TRUE(sum.add({1, 4, 0, 4}, one_record, piece_of(1000, 2, 4, 4)));
  EXPECT_FALSE(sum.take_total());
  EXPECT_TRUE(sum.add({2, 4, 0, 4}, {2, 0, {}}, piece_of(0, 1, 4, 4)));
  const std::optional<LaneSum> total = sum.take_total();
  ASSERT_TRUE(total);
  EXPECT_EQ(total->sum, (Floats{0, 1, 2, 3}));
  EXPECT_EQ(total->counts.records, 2u);
}

TEST(ArrivalSum, KnowsRunsThatNoBatchHas) {
  EXPECT_TRUE(ArrivalSum::is_valid({1, 4, 0, 4}));
  EXPECT_FALSE(ArrivalSum::is_valid({1, 4, 4, 4}));
  EXPECT_FALSE(ArrivalSum::is_valid({1, 4, 3, 5}));
  EXPECT_FALSE(ArrivalSum::is_valid({1, 4, 3, 2}));
}

}  // namespace
}  // namespace carrack::train
