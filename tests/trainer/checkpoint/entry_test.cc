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

}  // namespace
}  // namespace carrack::checkpoint
