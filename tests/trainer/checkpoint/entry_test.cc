#include "trainer/checkpoint/entry.h"

#include <gtest/gtest.h>

namespace carrack::checkpoint {
namespace {

BundleEntry some_entry() {
  BundleEntry entry;
  entry.shape = {300, 0};
  entry.shard = 2;
  entry.offset = std::uint64_t{1} << 40;
  entry.size = 150;
  entry.crc32c = 7;
  return entry;
}

TEST(Entry, ReadsBackEveryField) {
  BundleEntry entry = some_entry();
  EXPECT_EQ(decode_entry(encode_entry(entry)), entry);
  entry.crc32c = 0;
  entry.slices = {{{3, 5}, {.start = 0, .length = -1}}, {{8, 1}, {1, 2}}};
  EXPECT_EQ(decode_entry(encode_entry(entry)), entry);
}

TEST(Entry, WritesNoFieldForAZero) {
  EXPECT_EQ(encode_header(2), "\x08\x02\x1a\x02\x08\x01");
  BundleEntry entry;
  entry.crc32c = 0;
  const std::string bytes = encode_entry(entry);
  EXPECT_EQ(bytes.substr(0, 4), std::string("\x08\x01\x12\x00", 4)) << "type, and a shape without dimensions";
  EXPECT_EQ(bytes.substr(4), "\x35\xd8\xea\x82\xa2") << "the masked checksum";
}

TEST(Entry, SkipsUnknownFields) {
  const std::string fixed64 = "\x41" + std::string(8, '\x09'),
                    text =
                        "\x4a\x03"
                        "abc",
                    number = "\x50\x96\x01";
  EXPECT_EQ(decode_entry(encode_entry(some_entry()) + fixed64 + text + number), some_entry());
}

TEST(Entry, RefusesGroupsAndFieldsThatAreCut) {
  for (const char* bytes : {"\x0b", "\x0e", "\x02\x01", "\x12\x03\x61\x62", "\x08", "\x15\x01\x02"})
    EXPECT_FALSE(decode_entry(bytes));
}

TEST(Entry, RefusesNumbersOfMoreThan64Bits) {
  const std::string nine_bytes(9, '\xff');
  const std::optional<BundleEntry> largest = decode_entry("\x20" + nine_bytes + "\x01");
  ASSERT_TRUE(largest);
  EXPECT_EQ(largest->offset, UINT64_MAX);
  const std::string tag_8 = "\x88" + std::string(8, '\x80');
  for (const std::string& bytes : {"\x20" + nine_bytes + "\x02", "\x20" + nine_bytes + "\x7f",
                                   "\x20" + nine_bytes + "\x81\x01", tag_8 + "\x02\x01"}) {
    EXPECT_FALSE(decode_entry(bytes)) << bytes.size() << " bytes";
    const std::string as_dimension = static_cast<char>(bytes.size()) + bytes;
    const std::string shape = "\x12" + as_dimension;
    EXPECT_FALSE(decode_entry("\x12" + (static_cast<char>(shape.size()) + shape))) << "in a dimension";
    const std::string slice = "\x0a" + as_dimension;
    EXPECT_FALSE(decode_entry("\x3a" + (static_cast<char>(slice.size()) + slice))) << "in an extent";
    EXPECT_TRUE(std::holds_alternative<Corrupt>(decode_header(bytes)));
    EXPECT_TRUE(std::holds_alternative<Corrupt>(decode_header("\x08\x01\x1a" + as_dimension))) << "in the version";
  }
}

}  // namespace
}  // namespace carrack::checkpoint
