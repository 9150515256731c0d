#include "trainer/checkpoint/wire.h"

#include <gtest/gtest.h>

namespace carrack::checkpoint {
namespace {

TEST(Wire, ReadsBackTheIntegersThatItWrote) {
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

TEST(Wire, FailsForGoodOnceBytesAreMissing) {
  Cursor cursor("\x01\x02\x03");
  EXPECT_EQ(cursor.fixed32(), 0u);
  EXPECT_TRUE(cursor.failed());
  EXPECT_EQ(cursor.varint(), 0u);
  EXPECT_TRUE(cursor.take(1).empty());
}

TEST(Wire, RefusesAnIntegerOfMoreThan64Bits) {
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

TEST(Wire, ReadsFieldsOfEveryTypeInOrder) {
  std::string message;
  put_varint_field(message, 1, 150);
  put_bytes_field(message, 2, "abc");
  put_fixed32_field(message, 300, 7);
  message += "\x21";  // Field 4, 64 bits.
  put_fixed64(message, 9);
  EXPECT_EQ(message.substr(0, 8),
            "\x08\x96\x01\x12\x03"
            "abc");
  Cursor cursor(message);
  auto field = next_field(cursor);
  ASSERT_TRUE(field && field->is(1, WireType::varint));
  EXPECT_EQ(field->value, 150u);
  field = next_field(cursor);
  ASSERT_TRUE(field && field->is(2, WireType::bytes));
  EXPECT_EQ(field->bytes, "abc");
  field = next_field(cursor);
  ASSERT_TRUE(field && field->is(300, WireType::fixed32));
  EXPECT_EQ(field->value, 7u);
  field = next_field(cursor);
  ASSERT_TRUE(field && field->is(4, WireType::fixed64));
  EXPECT_EQ(field->value, 9u);
  EXPECT_FALSE(next_field(cursor));
  EXPECT_FALSE(cursor.failed());
}

TEST(Wire, WritesNoFieldForAZero) {
  std::string message;
  put_varint_field(message, 1, 0);
  put_fixed32_field(message, 2, 0);
  EXPECT_EQ(message, "");
  put_bytes_field(message, 3, "");
  EXPECT_EQ(message, std::string("\x1a\x00", 2));
}

TEST(Wire, RefusesGroupsAndFieldsThatAreCut) {
  for (const char* bytes : {"\x0b", "\x0e", "\x02\x01", "\x12\x03\x61\x62", "\x08", "\x15\x01\x02"}) {
    Cursor cursor(bytes);
    EXPECT_FALSE(next_field(cursor));
    EXPECT_TRUE(cursor.failed());
  }
}

}  // namespace
}  // namespace carrack::checkpoint
