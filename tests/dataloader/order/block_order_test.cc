#include "dataloader/order/block_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace carrack::data {
namespace {

const Random draws(3, "order");

std::vector<std::uint64_t> taken_in_order(const BlockOrder& order, std::uint64_t epoch = 0) {
  BlockOrder::Epoch in_epoch(order, epoch);
  std::vector<std::uint64_t> taken;
  for (std::uint64_t place = 0; place < order.size(); ++place) taken.push_back(in_epoch.read_index_at(place));
  return taken;
}

TEST(BlockOrder, MapsPlacesToElementsAndBack) {
  for (const std::uint64_t size : {0u, 1u, 7u, 64u, 1000u, 1024u, 4099u}) {
    for (const Blocks blocks : {Blocks{1, 1}, Blocks{16, 4}, Blocks{64, 1}, Blocks{5000, 3}, Blocks{1, 5000}}) {
      const BlockOrder order(size, blocks, draws);
      for (const std::uint64_t epoch : {0u, 3u}) {
        BlockOrder::Epoch in_epoch(order, epoch);
        const std::vector<std::uint64_t> taken = taken_in_order(order, epoch);
        std::set<std::uint64_t> numbers;
        for (std::uint64_t place = 0; place < size; ++place) {
          ASSERT_EQ(in_epoch.place_of(taken[place]), place) << size << " " << blocks.block;
          numbers.insert(in_epoch.input_number_of(taken[place]));
        }
        ASSERT_EQ(numbers.size(), size);
        ASSERT_TRUE(size == 0 || *numbers.rbegin() == size - 1);
      }
    }
  }
}

// Who goes on from a place of an older build relies on it: another order needs other words where contents are told.
TEST(BlockOrder, IsTheSameInEachVersion) {
  const BlockOrder order(1'000'000, {409, 16}, draws);
  BlockOrder::Epoch epoch(order, 2);
  std::vector<std::uint64_t> numbers;
  for (const std::uint64_t place : {0u, 1u, 6543u, 400'000u, 999'999u})
    numbers.push_back(epoch.input_number_of(epoch.read_index_at(place)));
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{110586, 110546, 659459, 764644, 945559}));
}

TEST(BlockOrder, KeepsAtMostAWindowOfRuns) {
  const BlockOrder order(100'000, {100, 8}, draws);
  EXPECT_EQ(order.window_elements(), 800u);
  std::uint64_t taken_in = 0, most_ahead = 0;
  std::uint64_t place = 0;
  for (const std::uint64_t taken : taken_in_order(order)) {
    taken_in = std::max(taken_in, taken + 1);
    most_ahead = std::max(most_ahead, taken_in - place++);
  }
  EXPECT_LE(most_ahead, 800u);
  EXPECT_GT(most_ahead, 750u);
}

TEST(BlockOrder, OrdersAndCutsRunsDifferentlyInEachEpoch) {
  const BlockOrder order(4010, {40, 3}, draws);
  std::set<std::vector<std::uint64_t>> orders;
  std::set<std::uint64_t> edges;
  for (std::uint64_t epoch = 0; epoch < 8; ++epoch) {
    BlockOrder::Epoch in_epoch(order, epoch);
    std::vector<std::uint64_t> begins;
    for (std::uint64_t taken = 0; taken < 4000; taken += 40) {
      begins.push_back(in_epoch.input_number_of(taken));
      for (std::uint64_t i = 1; i < 40; ++i) ASSERT_EQ(in_epoch.input_number_of(taken + i), (begins.back() + i) % 4010);
    }
    edges.insert(*std::ranges::min_element(begins));
    orders.insert(begins);
  }
  EXPECT_EQ(orders.size(), 8u);
  EXPECT_GT(edges.size(), 4u);
}

}  // namespace
}  // namespace carrack::data
