#include "dataloader/records/packed_varints.h"

#include <gtest/gtest.h>

#include <vector>

#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

using Bytes = std::vector<std::byte>;

// As wire::take_varint has them, one by one.
std::optional<std::vector<std::int64_t>> plainly(std::span<const std::byte> bytes) {
  std::vector<std::int64_t> numbers;
  while (!bytes.empty()) {
    const auto number = wire::take_varint(bytes);
    if (!number) return std::nullopt;
    numbers.push_back(static_cast<std::int64_t>(*number));
  }
  return numbers;
}

std::optional<std::vector<std::int64_t>> taken(const Bytes& bytes) {
  std::vector<std::int64_t> numbers(varints_in(bytes));
  if (!decode_varints(bytes, numbers)) return std::nullopt;
  return numbers;
}

TEST(PackedVarints, OfEachLengthAreReadAtEachDistanceFromTheEnd) {
  for (int bits = 0; bits < 64; ++bits) {
    const std::uint64_t number = 0xfedcba9876543211 >> (63 - bits);
    for (int behind = 0; behind < 20; ++behind) {
      Bytes bytes;
      wire::append_varint(bytes, number);
      for (int i = 0; i < behind; ++i) wire::append_varint(bytes, static_cast<std::uint64_t>(i) << (3 * i));
      ASSERT_EQ(taken(bytes), plainly(bytes)) << bits << " " << behind;
    }
  }
}

TEST(PackedVarints, EqualThoseReadOneByOne) {
  std::uint64_t state = 1;
  const auto draw = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  int good = 0;
  for (int i = 0; i < 20000; ++i) {
    Bytes bytes(draw() % 40);
    const std::uint64_t long_ones = draw() % 16;  // of 16 bytes are in the middle of a number
    for (std::byte& byte : bytes) {
      const std::uint64_t low = draw() & 0x7f;
      byte = static_cast<std::byte>(draw() % 16 < long_ones ? low | 0x80 : low);
    }
    const auto expected = plainly(bytes);
    ASSERT_EQ(taken(bytes), expected);
    good += expected.has_value();
  }
  EXPECT_GT(good, 5000);
  EXPECT_LT(good, 15000);
}

TEST(PackedVarints, MustBeExactlyAsManyAsRequested) {
  const Bytes bytes(100, std::byte{3});
  std::vector<std::int64_t> numbers(11);
  EXPECT_FALSE(decode_varints(bytes, numbers));
  EXPECT_FALSE(decode_varints(std::span(bytes).first(10), numbers));
  EXPECT_TRUE(decode_varints(std::span(bytes).first(11), numbers));
  EXPECT_EQ(numbers, std::vector<std::int64_t>(11, 3));
  EXPECT_TRUE(decode_varints({}, {}));
}

}  // namespace
}  // namespace carrack::data
