// What bounds requests that come on top: when a silence is too long, how many there may be, how much memory they fill.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "dataloader/storage/remote/memory_budget.h"
#include "dataloader/storage/remote/retry_budget.h"
#include "dataloader/storage/remote/stall_threshold.h"

namespace carrack::data {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(StallThreshold, AreTooLongAfterASecondWhereLittleIsKnown) {
  StallThreshold stall_threshold;
  EXPECT_EQ(stall_threshold.limit(), milliseconds(1000));
  for (int i = 0; i < 7; ++i) stall_threshold.add(milliseconds(1));
  EXPECT_EQ(stall_threshold.limit(), milliseconds(1000));
}

TEST(StallThreshold, AreTooLongAtThreeTimesWhatIsRareButNotBeforeAQuarterOfASecond) {
  StallThreshold stall_threshold;
  for (int i = 0; i < 100; ++i) stall_threshold.add(milliseconds(30));
  EXPECT_EQ(stall_threshold.limit(), milliseconds(250));
  for (int i = 0; i < 600; ++i) stall_threshold.add(milliseconds(200));
  EXPECT_EQ(stall_threshold.limit(), milliseconds(600));
}

TEST(StallThreshold, OfAFewAreNotWhatIsRare) {
  StallThreshold stall_threshold;
  for (int i = 0; i < 512; ++i) stall_threshold.add(i % 150 == 0 ? milliseconds(60'000) : milliseconds(100));
  EXPECT_EQ(stall_threshold.limit(), milliseconds(300));
}

TEST(StallThreshold, OfAServiceThatBecomesSlowMoveTheLimit) {
  StallThreshold stall_threshold;
  for (int i = 0; i < 512; ++i) stall_threshold.add(milliseconds(100));
  for (int i = 0; i < 6; ++i) stall_threshold.add(milliseconds(1000));
  EXPECT_EQ(stall_threshold.limit(), milliseconds(3000));
}

TEST(RetryBudget, IsAShareAndAFewInStore) {
  RetryBudget budget({.share = 0.25, .reserve_max = 3});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(budget.spend());
  EXPECT_FALSE(budget.spend());
  for (int i = 0; i < 3; ++i) budget.earn();
  EXPECT_FALSE(budget.spend());
  budget.earn();
  EXPECT_TRUE(budget.spend());
  for (int i = 0; i < 100; ++i) budget.earn();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(budget.spend());
  EXPECT_FALSE(budget.spend());
}

TEST(MemoryBudget, IsForOneAllAndForTwoHalf) {
  MemoryBudget budget(100, 10);
  MemoryBudget::Share one(budget);
  std::vector<MemoryBudget::Block> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(one.take(10));
  for (const auto& block : blocks) EXPECT_NE(block, nullptr);
  EXPECT_EQ(one.take(1), nullptr);
  {
    MemoryBudget::Share two(budget);
    EXPECT_EQ(two.take(10), nullptr) << "all of it is still in use";
    one.give_back(std::move(blocks.back()), 10);
    EXPECT_EQ(one.take(10), nullptr) << "it has more than its part";
    EXPECT_NE(two.take(10), nullptr);
  }
  EXPECT_NE(one.take(10), nullptr) << "what the other one had is free again";
}

TEST(MemoryBudget, KeepsBlocksOfTheUsualSizeWithinItself) {
  MemoryBudget budget(100, 10);
  MemoryBudget::Share part(budget);
  MemoryBudget::Block block = part.take(10);
  const std::byte* kept = block.get();
  part.give_back(std::move(block), 10);
  block = part.take(10);
  EXPECT_EQ(block.get(), kept);
  part.give_back(std::move(block), 10);
  EXPECT_NE(part.take(95), nullptr);
  EXPECT_EQ(part.take(10), nullptr);
}

TEST(MemoryBudget, IsNeverExceededByMany) {
  constexpr std::uint64_t size = 1000;
  MemoryBudget budget(10 * size, size);
  std::atomic<int> out = 0;
  {
    std::vector<std::jthread> readers;
    for (int reader = 0; reader < 4; ++reader) {
      readers.emplace_back([&] {
        MemoryBudget::Share part(budget);
        for (int i = 0; i < 2000; ++i) {
          MemoryBudget::Block block = part.take(size);
          if (!block) continue;
          EXPECT_LE(++out, 10);
          block[0] = std::byte{1};
          --out;
          part.give_back(std::move(block), size);
        }
      });
    }
  }
}

}  // namespace
}  // namespace carrack::data
