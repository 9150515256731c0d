#include "dataloader/memory/recycled.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "dataloader/memory/large_vector.h"

namespace carrack::data {
namespace {

constexpr std::size_t large = std::size_t{3} << 20;

TEST(Recycled, MemoryIsUsedAgainWhoeverHadIt) {
  auto first = pooled_buffer(large), second = pooled_buffer(large);
  const void* last = first.get();
  second.reset();
  first.reset();
  LargeVector<float> vector(large / sizeof(float));
  EXPECT_EQ(vector.data(), last) << "the last one that came back";
  vector = LargeVector<float>();
  EXPECT_EQ(pooled_buffer(large - large / 20).get(), last) << "of about the size";
  EXPECT_NE(pooled_buffer(large / 2).get(), last);
}

TEST(Recycled, MemoryComesBackWithItsLastOwner) {
  auto first = pooled_buffer(large);
  auto second = first;
  const void* at = first.get();
  first.reset();
  EXPECT_NE(pooled_buffer(large).get(), at);
  second.reset();
}

TEST(Recycled, MemoryIsFreedBeyondTheLimitOldestFirst) {
  RecycledMemory memory(2 * large);
  std::vector<void*> pieces;
  for (int i = 0; i < 3; ++i) pieces.push_back(memory.take(large));
  for (void* const piece : pieces) memory.give_back(piece, large);
  EXPECT_EQ(memory.take(large), pieces[2]);
  EXPECT_EQ(memory.take(large), pieces[1]);
  void* const fresh = memory.take(large);  // May have the address of the piece that was freed.
  for (void* const piece : {pieces[2], pieces[1], fresh}) memory.give_back(piece, large);
}

TEST(Recycled, MemoryOfOnePurposeIsNotUsedForAnother) {
  RecycledMemory one(large * 2), other(large * 2);
  void* const piece = one.take(large);
  one.give_back(piece, large);
  void* const of_other = other.take(large);
  EXPECT_NE(of_other, piece);
  other.give_back(of_other, large);
}

TEST(Recycled, MemoryMayBeOfAnySize) {
  for (const std::size_t size : {0u, 1u, 65'535u, 65'536u, 65'537u, 1'000'003u}) {
    const auto memory = pooled_buffer(size);
    std::memset(memory.get(), 7, size);
  }
}

TEST(Recycled, MemoryHasOneOwnerAtATime) {
  std::atomic<int> disturbed = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 300; ++i) {
        const std::size_t size = std::size_t{100'000} + 10'000 * (i % 5);
        LargeVector<std::byte> mine(size, static_cast<std::byte>(thread));
        std::this_thread::yield();
        for (const std::byte byte : mine) disturbed += byte == static_cast<std::byte>(thread) ? 0 : 1;
      }
    });
  threads.clear();
  EXPECT_EQ(disturbed, 0);
}

}  // namespace
}  // namespace carrack::data
