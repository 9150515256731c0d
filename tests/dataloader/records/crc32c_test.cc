#include "dataloader/crc32c.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace carrack::data {
namespace {

using Way = std::uint32_t (*)(std::span<const std::byte>, std::uint32_t);

class EachWay : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    const bool is_here = GetParam() == crc32c_implementations::wide       ? crc32c_implementations::has_wide()
                         : GetParam() == crc32c_implementations::hardware ? crc32c_implementations::has_hardware()
                                                                          : true;
    if (!is_here) GTEST_SKIP() << "no such instruction here";
  }
};

std::vector<std::byte> bytes(std::size_t size) {
  std::vector<std::byte> made(size);
  std::uint32_t state = 1;
  for (std::byte& byte : made) byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return made;
}

// A bit at a time, as the polynomial is defined.
std::uint32_t naive(std::span<const std::byte> input, std::uint32_t initial) {
  std::uint32_t crc = ~initial;
  for (const std::byte byte : input) {
    crc ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

TEST_P(EachWay, HasTheValuesOfRfc3720) {
  const auto of = [](std::vector<std::byte> input) { return GetParam()(input, 0); };
  EXPECT_EQ(of(std::vector(32, std::byte{0})), 0x8a9136aau);
  EXPECT_EQ(of(std::vector(32, std::byte{0xff})), 0x62a8ab43u);
  std::vector<std::byte> rising(32);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<std::byte>(i);
  EXPECT_EQ(of(rising), 0x46dd794eu);
  EXPECT_EQ(GetParam()(std::as_bytes(std::span(std::string_view("123456789"))), 0), 0xe3069283u);
  EXPECT_EQ(of({}), 0u);
}

TEST_P(EachWay, EqualsTheNaiveImplementationAtEachLengthAndAlignment) {
  const std::vector<std::byte> input = bytes(7000);
  for (std::size_t size = 0; size <= 6500; size += size < 1400 ? 1 : 97) {
    const auto part = std::span(input).subspan(size % 9, size);
    ASSERT_EQ(GetParam()(part, 17), naive(part, 17)) << size << " bytes";
  }
}

TEST_P(EachWay, ProcessesAnInputInParts) {
  const std::vector<std::byte> input = bytes(5000);
  const std::uint32_t whole = GetParam()(input, 0);
  for (const std::size_t cut : {0u, 1u, 8u, 95u, 96u, 3072u, 4999u, 5000u}) {
    const std::uint32_t first = GetParam()(std::span(input).first(cut), 0);
    EXPECT_EQ(GetParam()(std::span(input).subspan(cut), first), whole) << "cut at " << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EachWay, testing::Values(crc32c_implementations::table));
INSTANTIATE_TEST_SUITE_P(Hardware, EachWay, testing::Values(crc32c_implementations::hardware));
INSTANTIATE_TEST_SUITE_P(Wide, EachWay, testing::Values(crc32c_implementations::wide));

TEST(CombinedCrc32c, EqualsThatOfBothParts) {
  const std::vector<std::byte> input = bytes(5000);
  const std::uint32_t whole = naive(input, 0);
  for (const std::size_t cut : {0u, 1u, 2u, 7u, 8u, 255u, 256u, 4096u, 4999u, 5000u}) {
    const std::uint32_t first = naive(std::span(input).first(cut), 0);
    const std::uint32_t second = naive(std::span(input).subspan(cut), 0);
    EXPECT_EQ(crc32c_combine(first, second, input.size() - cut), whole) << "cut at " << cut;
  }
}

TEST(CombinedCrc32c, EqualsThatOfPartsLargerThanMemory) {
  const std::uint32_t some = 0x46dd794eu;
  std::uint32_t zeros = crc32c(std::vector(1u << 20, std::byte{0}));
  std::uint64_t size = 1u << 20;
  std::uint32_t in_steps = crc32c_combine(some, zeros, size);
  for (; size < std::uint64_t{1} << 43; size *= 2) {
    in_steps = crc32c_combine(in_steps, zeros, size);
    zeros = crc32c_combine(zeros, zeros, size);
  }
  EXPECT_EQ(crc32c_combine(some, zeros, size), in_steps);
}

TEST(MaskedCrc32c, MatchesTensorFlowAndCanBeUnmasked) {
  EXPECT_EQ(masked(0), 0xa282ead8u);
  for (const std::uint32_t crc : {0u, 1u, 0x8a9136aau, 0xffffffffu}) EXPECT_EQ(unmasked(masked(crc)), crc);
}

TEST(Crc32c, HexHasEightDigits) {
  EXPECT_EQ(crc32c_hex(0x0badf00d), "0badf00d");
  EXPECT_EQ(crc32c_hex(0), "00000000");
}

}  // namespace
}  // namespace carrack::data
