#include "dataloader/order/reorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

const Random draws(7, "test");

// What all places of an epoch name.
std::vector<std::uint64_t> all_of(const Reorder& order, std::uint64_t epoch = 0) {
  std::vector<Place> places(order.size);
  for (std::uint64_t i = 0; i < order.size; ++i) places[i] = {epoch, i};
  order.to_input_places(places);
  std::vector<std::uint64_t> numbers;
  for (const Place& place : places) numbers.push_back(place.number);
  return numbers;
}

Place at(const Reorder& order, Place place) {
  order.to_input_places({&place, 1});
  return place;
}

std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> numbers) {
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<std::uint64_t> up_to(std::uint64_t size) {
  std::vector<std::uint64_t> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(Reorder, ShufflesEachEpochDifferently) {
  const Reorder order = shuffled(1000, draws);
  EXPECT_EQ(sorted(all_of(order, 0)), up_to(1000));
  EXPECT_EQ(sorted(all_of(order, 1)), up_to(1000));
  EXPECT_NE(all_of(order, 0), all_of(order, 1));
  EXPECT_EQ(all_of(order, 1), all_of(shuffled(1000, draws), 1));
  EXPECT_EQ(shuffled(0, draws).size, 0u);
}

TEST(Reorder, ShufflesBlocksWithinAWindow) {
  for (const std::uint64_t size : {1u, 7u, 64u, 1000u, 1024u, 4099u}) {
    for (const Blocks blocks : {Blocks{1, 1}, Blocks{16, 4}, Blocks{64, 1}, Blocks{5000, 3}, Blocks{1, 5000}}) {
      const Reorder order = block_shuffled(size, blocks, draws);
      for (const std::uint64_t epoch : {0u, 3u})
        EXPECT_EQ(sorted(all_of(order, epoch)), up_to(size)) << size << " " << blocks.block;
    }
  }
}

TEST(Reorder, ShardsCutsAndRepeats) {
  EXPECT_EQ(all_of(ranged(10, shard_range(3, 0))), (std::vector<std::uint64_t>{0, 3, 6, 9}));
  EXPECT_EQ(all_of(ranged(10, shard_range(3, 2))), (std::vector<std::uint64_t>{2, 5, 8}));
  EXPECT_EQ(ranged(endless, shard_range(3, 2)).size, endless);
  EXPECT_EQ(all_of(ranged(10, {4, 7})), (std::vector<std::uint64_t>{4, 5, 6}));
  EXPECT_EQ(all_of(ranged(10, {.begin = 8})), (std::vector<std::uint64_t>{8, 9}));
  EXPECT_EQ(ranged(10, {11, 16}).size, 0u);
  EXPECT_EQ(ranged(endless, {5, 12}).size, 7u);
  EXPECT_EQ(all_of(repeated(2, 3)), (std::vector<std::uint64_t>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(at(repeated(5, 3), {0, 12}), (Place{2, 2}));
  EXPECT_EQ(at(repeated(5, 3), {4, 12}), (Place{14, 2})) << "repeated again, epochs go on";
  EXPECT_EQ(at(repeated(5, endless), {0, 1'000'003}), (Place{200'000, 3}));
  EXPECT_EQ(repeated(5, endless).size, endless);
  EXPECT_EQ(repeated(0, endless).size, 0u);
  EXPECT_EQ(repeated(5, 0).size, 0u);
  EXPECT_EQ(repeated(std::uint64_t{1} << 40, std::uint64_t{1} << 40).size, endless);
}

std::string refused(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Reorder, RefusesInvalidArguments) {
  EXPECT_EQ(refused([] { shuffled(endless, draws); }),
            "shuffle: has no end of its input to shuffle up to; shuffle first, then repeat");
  EXPECT_EQ(refused([] {
              block_shuffled(endless, {1, 1}, draws);
            }),
            "block shuffle: has no end of its input to shuffle up to; shuffle first, then repeat");
  EXPECT_EQ(refused([] { block_shuffled(5, {0, 1}, draws); }), "block shuffle: a block and a window hold at least one");
  EXPECT_EQ(refused([] { shard_range(3, 3); }), "shard: there is no shard 3 of 3; they count from 0");
}

}  // namespace
}  // namespace carrack::data
