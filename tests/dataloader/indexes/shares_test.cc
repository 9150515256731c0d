#include "dataloader/indexes/shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace carrack::data {
namespace {

std::uint64_t bytes_of(const std::vector<std::size_t>& files, const std::vector<std::uint64_t>& sizes) {
  std::uint64_t bytes = 0;
  for (const std::size_t file : files) bytes += sizes[file];
  return bytes;
}

TEST(Shares, HoldEachFileOnceAndAboutAsManyBytes) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < 200; ++i) sizes.push_back(i < 198 ? i * i % 97 : 0);
  const std::uint64_t total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  for (std::size_t members = 1; members < 12; ++members) {
    std::vector<std::size_t> all;
    for (std::size_t member = 0; member < members; ++member) {
      const std::vector<std::size_t> own = own_share(sizes, {member, members});
      EXPECT_LE(bytes_of(own, sizes), total / members + 97) << member << " of " << members;
      all.insert(all.end(), own.begin(), own.end());
    }
    std::vector<std::size_t> each_once(sizes.size());
    std::iota(each_once.begin(), each_once.end(), 0);
    std::ranges::sort(all);
    EXPECT_EQ(all, each_once) << members;
  }
}

TEST(Shares, OfFewFilesBelongToSomeMembers) {
  const std::vector<std::uint64_t> two{38, 38};
  for (const std::size_t members : {2, 3}) {
    EXPECT_EQ(own_share(two, {0, members}), std::vector<std::size_t>{0});
    EXPECT_EQ(own_share(two, {1, members}), std::vector<std::size_t>{1});
  }
  EXPECT_TRUE(own_share(two, {2, 3}).empty());
}

TEST(Shares, AreEmptyForMembersAboveTheirNumber) {
  EXPECT_TRUE(own_share(std::vector<std::uint64_t>{1, 2, 3}, {3, 3}).empty());
  EXPECT_TRUE(own_share({}, {0, 3}).empty());
}

TEST(Shares, DoNotOverflow) {
  const std::uint64_t half = std::numeric_limits<std::uint64_t>::max() / 2;
  EXPECT_EQ(own_share(std::vector<std::uint64_t>{half, half}, {1, 2}), std::vector<std::size_t>{1});
}

TEST(Shares, HelpInAnOrderThatDiffersBetweenMembers) {
  std::vector<std::size_t> each_once(50);
  std::iota(each_once.begin(), each_once.end(), 0);
  std::vector<std::vector<std::size_t>> orders;
  for (std::size_t member = 0; member < 4; ++member) {
    orders.push_back(helping_order(50, {member, 4}));
    std::vector<std::size_t> sorted = orders.back();
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, each_once);
  }
  std::ranges::sort(orders);
  EXPECT_TRUE(std::ranges::adjacent_find(orders) == orders.end());
}

}  // namespace
}  // namespace carrack::data
