#include "trainer/checkpoint/table.h"

#include <gtest/gtest.h>

#include <span>

#include "dataloader/crc32c.h"
#include "trainer/checkpoint/integers.h"

namespace carrack::checkpoint {
namespace {

using namespace std::string_literals;

std::string block(std::string bytes, char type = 0) {
  bytes.push_back(type);
  put_fixed32(bytes, data::masked_crc32c(std::as_bytes(std::span(bytes))));
  return bytes;
}

std::string footer(std::string handles) {
  handles.resize(40);
  put_fixed64(handles, 0xdb4775248b80fb57);
  return handles;
}

std::string handle(std::uint64_t offset, std::uint64_t size) {
  std::string bytes;
  put_varint(bytes, offset);
  put_varint(bytes, size);
  return bytes;
}

// An entry that shares nothing, and the restarts of a block with one.
std::string entry(const std::string& key, const std::string& value) {
  return "\x00"s + static_cast<char>(key.size()) + static_cast<char>(value.size()) + key + value;
}
const std::string restarts = "\x00\x00\x00\x00\x01\x00\x00\x00"s;

// A file of one block of data, and of an index that names it.
std::string file_of(const std::string& data, char type = 0) {
  const std::string index = entry("z", handle(0, data.size())) + restarts;
  return block(data, type) + block(index) + footer("\x00\x00"s + handle(data.size() + 5, index.size()));
}

std::string problem(const Decoded<Table>& decoded) {
  const auto* corrupt = std::get_if<Corrupt>(&decoded);
  return corrupt ? corrupt->text : "no problem";
}

TEST(Table, ReadsBackWhatItWroteOverManyBlocksAndRestarts) {
  Table table{{"", "header"}, {"\x00slice"s, "s"}, {"\xff", ""}};
  for (int i = 0; i < 20000; ++i) table["layer/" + std::to_string(i) + "/kernel"] = std::string(40, 'v');
  const std::string file = encode_table(table);
  EXPECT_GT(file.size(), 3u * 256 * 1024);
  EXPECT_LT(file.size(), 20000u * 60);  // Prefixes are shared.
  const Decoded<Table> decoded = decode_table(file);
  ASSERT_EQ(problem(decoded), "no problem");
  EXPECT_EQ(std::get<Table>(decoded), table);
}

TEST(Table, OfNothingIsReadBack) {
  const Decoded<Table> decoded = decode_table(encode_table({}));
  ASSERT_EQ(problem(decoded), "no problem");
  EXPECT_TRUE(std::get<Table>(decoded).empty());
}

// The worked bytes of docs/formats/checkpoint.md.
TEST(Table, HasTheDocumentedBytes) {
  const std::string data =
      "\x00\x02\x01"
      "w0A"
      "\x01\x01\x01"
      "1B"s +
      restarts;
  const std::string index =
      "\x00\x02\x02"
      "w1"
      "\x00\x13"s +
      restarts;
  EXPECT_EQ(encode_table({{"w0", "A"}, {"w1", "B"}}),
            block(data) + block(restarts) + block(index) + footer(handle(24, 8) + handle(37, 15)));
}

TEST(Table, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(problem(decode_table("")), "the index is shorter than a table's footer");
  EXPECT_EQ(problem(decode_table(std::string(48, 'x'))), "the index does not end with a table's magic number");
  EXPECT_EQ(problem(decode_table(footer(std::string(40, '\xff')))), "the index has a footer that cannot be read");
  EXPECT_EQ(problem(decode_table(footer("\x00\x00"s + handle(0, 1000)))),
            "the index has a block that ends after the file");
  EXPECT_EQ(problem(decode_table(footer("\x00\x00"s + handle(UINT64_MAX, UINT64_MAX)))),
            "the index has a block that ends after the file");
  EXPECT_EQ(problem(decode_table(file_of(entry("a", "b") + restarts, 1))),
            "the index has a compressed block; TensorFlow writes bundles without compression");
}

TEST(Table, SaysWhatIsWrongWithABlock) {
  EXPECT_EQ(problem(decode_table(file_of("ab"))), "the index has a block without restarts");
  EXPECT_EQ(problem(decode_table(file_of("\x02\x00\x00\x00"s))), "the index has a block with more restarts than bytes");
  for (const std::string& bad : {"\x01\x01\x01"
                                 "ab"s,
                                 "\x00\x05\x01"
                                 "ab"s,
                                 "\x00"s,
                                 "\x00\x01\x7f"
                                 "ab"s}) {
    EXPECT_EQ(problem(decode_table(file_of(bad + restarts))), "the index has a block entry that cannot be read");
  }
  EXPECT_EQ(problem(decode_table(file_of(entry("b", "") + entry("b", "") + restarts))),
            "the index has keys that do not ascend");
}

TEST(Table, ReadsNoBlockTwice) {
  const std::string data = entry("a", "b") + restarts;
  const std::string index = entry("a", handle(0, data.size())) + entry("b", handle(0, data.size())) + restarts;
  const std::string file = block(data) + block(index) + footer("\x00\x00"s + handle(data.size() + 5, index.size()));
  EXPECT_EQ(problem(decode_table(file)), "the index has blocks that lie in one another");
}

TEST(Table, RefusesKeysThatUnpackWithoutEnd) {
  std::string data = "\x00\xd0\x86\x03\x00"s + std::string(50000, 'k');  // 50,000 bytes, then each one longer by one.
  for (std::uint64_t i = 0; i < 5000; ++i) {
    put_varint(data, 50000 + i);
    data += "\x01\x00k"s;
  }
  EXPECT_EQ(problem(decode_table(file_of(data + restarts))), "the index has keys that unpack without end");
}

TEST(Table, NoticesEveryBitThatFlipsInABlock) {
  const std::string file = encode_table({{"a", "b"}, {"c", "d"}});
  for (std::size_t i = 0; i < file.size() - 48; ++i) {
    if (i >= 23 && i < 23 + 8 + 5) continue;  // The block of metadata, which holds nothing.
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = file;
      flipped[i] = static_cast<char>(flipped[i] ^ 1 << bit);
      EXPECT_TRUE(std::holds_alternative<Corrupt>(decode_table(flipped))) << i;
    }
  }
}

}  // namespace
}  // namespace carrack::checkpoint
