#include "trainer/checkpoint/integers.h"

#include <gtest/gtest.h>

namespace carrack::checkpoint {
namespace {

TEST(Integers, ReadBackAsTheyWereWritten) {
  const std::uint64_t values[] = {0, 1, 127, 128, 300, 0x7fffffff, 0xffffffff, 1ull << 62, UINT64_MAX};
  std::string bytes;
  for (const std::uint64_t value : values) {
    put_varint(bytes, value);
    put_fixed64(bytes, value);
    put_fixed32(bytes, static_cast<std::uint32_t>(value));
  }
  Cursor cursor(bytes);
  for (const std::uint64_t value : values) {
    EXPECT_EQ(cursor.varint(), value);
    EXPECT_EQ(cursor.fixed64(), value);
    EXPECT_EQ(cursor.fixed32(), static_cast<std::uint32_t>(value));
  }
  EXPECT_TRUE(cursor.at_end());
  EXPECT_FALSE(cursor.failed());
}

TEST(Integers, StayFailedOnceBytesAreMissing) {
  Cursor cursor("\x01\x02\x03");
  EXPECT_EQ(cursor.fixed32(), 0u);
  EXPECT_TRUE(cursor.failed());
  EXPECT_EQ(cursor.varint(), 0u);
  EXPECT_TRUE(cursor.take(1).empty());
}

TEST(Integers, HaveAtMost64Bits) {
  Cursor largest("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(largest.varint(), UINT64_MAX);
  EXPECT_FALSE(largest.failed());
  Cursor larger("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  EXPECT_EQ(larger.varint(), 0u);
  EXPECT_TRUE(larger.failed());
  Cursor longer("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
  EXPECT_EQ(longer.varint(), 0u);
  EXPECT_TRUE(longer.failed());
}

}  // namespace
}  // namespace carrack::checkpoint
