#include "dataloader/machine/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <set>
#include <span>
#include <thread>
#include <vector>

namespace carrack::data {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(Blocks, OfAnySizeAreWritable) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, mebibyte - 1, mebibyte, 5 * mebibyte + 1}) {
    void* const block = allocate_block(bytes);
    std::memset(block, 1, bytes);
    free_block(block, bytes);
  }
}

TEST(Blocks, AreUsedAgainForTheSameSizeOnly) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "blocks are really freed, so that uses after that are seen";
#endif
  const std::size_t bytes = 3 * mebibyte, other = bytes + 4096;
  void* const first = allocate_block(bytes);
  void* const second = allocate_block(bytes);
  EXPECT_NE(first, second);
  free_block(first, bytes);
  free_block(second, bytes);
  void* const of_other_size = allocate_block(other);
  EXPECT_TRUE(of_other_size != first && of_other_size != second);
  const std::set<void*> again{allocate_block(bytes), allocate_block(bytes)};
  EXPECT_EQ(again, (std::set<void*>{first, second}));
  for (void* const block : again) free_block(block, bytes);
  free_block(of_other_size, other);
}

TEST(Blocks, HaveOneOwnerAtATime) {
  const std::size_t bytes = mebibyte + 64;
  const auto use = [&](std::uint8_t own) {
    for (int i = 0; i < 200; ++i) {
      auto* const block = static_cast<std::uint8_t*>(allocate_block(bytes));
      std::fill_n(block, 64, own);
      std::this_thread::yield();
      ASSERT_TRUE(std::ranges::all_of(std::span(block, 64), [&](std::uint8_t one) { return one == own; }));
      free_block(block, bytes);
    }
  };
  std::vector<std::jthread> threads;
  for (std::uint8_t own = 1; own <= 4; ++own) threads.emplace_back(use, own);
}

TEST(Blocks, ThatTheSystemDoesNotHaveAreRefused) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer ends a process that wants so much";
#endif
  EXPECT_THROW(allocate_block(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
}

TEST(HugePages, MayBeWantedForMemoryOfAnySize) {
  std::vector<std::byte> memory(5 * mebibyte);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, 2 * mebibyte, memory.size()}) {
    use_huge_pages(std::span(memory).first(bytes));
  }
  EXPECT_TRUE(std::ranges::all_of(memory, [](std::byte one) { return one == std::byte{0}; }));
}

}  // namespace
}  // namespace carrack::data
