#include "trainer/checkpoint/crc.h"

#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <vector>

#include "dataloader/crc32c.h"

namespace carrack::checkpoint {
namespace {

TEST(JoinCrc32c, IsTheChecksumOfBothRunsTogether) {
  std::vector<unsigned char> numbers(5000);
  std::iota(numbers.begin(), numbers.end(), static_cast<unsigned char>(1));
  const auto bytes = std::as_bytes(std::span(numbers));
  for (const std::size_t size : {0u, 1u, 4u, 31u, 255u, 4096u, 4999u, 5000u}) {
    const std::uint32_t first = data::crc32c(bytes.first(size));
    const std::uint32_t second = data::crc32c(bytes.subspan(size));
    EXPECT_EQ(join_crc32c(first, second, bytes.size() - size), data::crc32c(bytes)) << size;
  }
}

TEST(JoinCrc32c, JoinsRunsTooLongForMemory) {
  // Zeros double: the checksum of 2^34 of them by halves equals that of the same in other portions.
  std::uint32_t doubled = data::crc32c(std::vector<std::byte>(1));
  for (std::uint64_t size = 1; size < std::uint64_t{1} << 34; size *= 2) doubled = join_crc32c(doubled, doubled, size);
  std::uint32_t portions = data::crc32c(std::vector<std::byte>(1 << 20));
  const std::uint32_t portion = portions;
  for (int i = 1; i < 1 << 14; ++i) portions = join_crc32c(portions, portion, 1 << 20);
  EXPECT_EQ(doubled, portions);
}

TEST(Hex, HasEightDigits) {
  EXPECT_EQ(hex(0), "00000000");
  EXPECT_EQ(hex(0xdeadbeef), "deadbeef");
}

}  // namespace
}  // namespace carrack::checkpoint
