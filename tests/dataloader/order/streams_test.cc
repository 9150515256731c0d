#include "dataloader/order/streams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

const std::vector<std::uint64_t> sizes = {300, 40, 0, 120, 500, 80, 80, 410, 7, 0, 260, 330};

std::uint64_t bytes_in(const LaneStreams& streams, std::uint64_t lane) {
  std::uint64_t bytes = 0;
  for (const std::size_t file : streams.files(lane)) bytes += sizes[file];
  return bytes;
}

TEST(LaneStreams, HaveEachFileOnceAndSimilarLengths) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const LaneStreams streams(seed, sizes, {32, 4});
    std::vector<int> seen(sizes.size());
    std::vector<std::uint64_t> bytes;
    for (std::uint64_t lane = 0; lane < 4; ++lane) {
      for (const std::size_t file : streams.files(lane)) ++seen.at(file);
      bytes.push_back(bytes_in(streams, lane));
    }
    EXPECT_EQ(seen, (std::vector{1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1}));
    EXPECT_LE(*std::ranges::max_element(bytes) - *std::ranges::min_element(bytes), 500u) << "the largest file";
  }
}

TEST(LaneStreams, AreDrawnBySeed) {
  const auto first = [](std::uint64_t seed) { return LaneStreams(seed, sizes, {32, 4}).files(0); };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
}

TEST(LaneStreams, GiveALaneWithALargerShareMore) {
  std::vector<std::uint64_t> many(600, 100);
  const LaneStreams streams(3, many, {6, 4});  // Shares of 2, 2, 1 and 1.
  EXPECT_EQ(streams.files(0).size(), 200u);
  EXPECT_EQ(streams.files(3).size(), 100u);
  EXPECT_EQ(streams.places(7, 0), (Range{14, 16}));
  EXPECT_EQ(streams.places(7, 3), (Range{7, 8}));
  EXPECT_EQ(streams.steps(0, 0), 0u);
  EXPECT_EQ(streams.steps(0, 16), 8u);
  EXPECT_EQ(streams.steps(0, 17), 9u);
  EXPECT_EQ(streams.steps(3, 17), 17u);
}

TEST(LaneStreams, GiveNothingToALaneWithoutAShare) {
  const LaneStreams streams(3, sizes, {2, 4});
  EXPECT_FALSE(streams.files(1).empty());
  EXPECT_TRUE(streams.files(2).empty());
  EXPECT_EQ(streams.places(9, 2), (Range{0, 0}));
  EXPECT_EQ(streams.steps(2, 0), 0u);
}

TEST(LaneStreams, RefuseInvalidBatches) {
  EXPECT_THROW(LaneStreams(0, sizes, {0, 4}), Error);
  EXPECT_THROW(LaneStreams(0, sizes, {4, 0}), Error);
}

}  // namespace
}  // namespace carrack::data
