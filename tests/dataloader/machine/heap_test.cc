#include "dataloader/machine/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

namespace carrack::data {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(HugePages, MayBeWantedForMemoryOfAnySize) {
  std::vector<std::byte> memory(5 * mebibyte);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, 2 * mebibyte, memory.size()}) {
    use_huge_pages(std::span(memory).first(bytes));
  }
  EXPECT_TRUE(std::ranges::all_of(memory, [](std::byte one) { return one == std::byte{0}; }));
}

}  // namespace
}  // namespace carrack::data
