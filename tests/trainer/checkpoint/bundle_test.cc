#include "trainer/checkpoint/bundle.h"

#include <gtest/gtest.h>

#include "trainer/checkpoint/entry.h"
#include "trainer/checkpoint/slice_key.h"
#include "trainer/checkpoint/table.h"

namespace carrack::checkpoint {
namespace {

using namespace std::string_literals;

// The index of b and of c in three parts, c[0:2], c[2:5, :1] and c[2:5, 1:].
Bundle bundle() {
  const Tensor b{DType::int64, {2}, {{{{0, 2}}, 0, 60, 16, 0xb0}}};
  const Tensor c{
      DType::float32,
      {5, 3},
      {{{{0, 2}, {0, 3}}, 0, 0, 24, 0xc0}, {{{2, 3}, {0, 1}}, 1, 0, 12, 0xc1}, {{{2, 3}, {1, 2}}, 1, 12, 24, 0xc2}}};
  return {2, {{"b", b}, {"c", c}}};
}

// What the index of the entries says; keys are names or slice keys.
std::string problem(const std::map<std::string, BundleEntry>& entries, const std::string& header = encode_header(2)) {
  Table table{{"", header}};
  for (const auto& [key, entry] : entries) table[key] = encode_entry(entry);
  const Decoded<Bundle> decoded = decode_index(encode_table(table));
  const auto* corrupt = std::get_if<Corrupt>(&decoded);
  return corrupt ? corrupt->text : "no problem";
}

BundleEntry entry(Shape shape, std::uint64_t size, std::vector<std::vector<Extent>> slices = {}) {
  return {DType::uint8, std::move(shape), 0, 0, size, 0, std::move(slices)};
}

TEST(Bundle, NamesItsFilesAsTensorFlowDoes) {
  EXPECT_EQ(index_name("a/ckpt-1"), "a/ckpt-1.index");
  EXPECT_EQ(shard_name("a/ckpt-1", 2, 12), "a/ckpt-1.data-00002-of-00012");
}

TEST(Bundle, IsReadBackWithSlicesOfRowsAndOfColumns) {
  const Decoded<Bundle> decoded = decode_index(encode_index(bundle()));
  ASSERT_TRUE(std::holds_alternative<Bundle>(decoded)) << std::get<Corrupt>(decoded).text;
  EXPECT_EQ(std::get<Bundle>(decoded), bundle());
}

// The index that TensorFlow 2.21 wrote for x = float32[5,3] saved as rows [0,2) and [2,5), and y = int64[2]. Only the
// key in the index of blocks differs: TensorFlow shortens it to "z", here it is the last key, "y".
TEST(Bundle, HasTensorFlowsBytes) {
  const std::string blocks_of_tensorflow =
      "\x00\x00\x06\x08\x01\x1a\x02\x08\x01\x00\n\x13\x00x\x00\x01\x01\x02\x80\x82\x80\x7f\x08\x01\x12\x08\x12\x02\x08"
      "\x02\x12\x02\x08\x03(\x18"
      "5k>:\xa8\x06\x04\x15\x82\x83\x80\x7f\x08\x01\x12\x08\x12\x02\x08\x03\x12\x02\x08"
      "\x03 \x18($5i\xc1n\xa0\x00\x01\x1ex\x08\x01\x12\x08\x12\x02\x08\x05\x12\x02\x08\x03:\x06\n\x02\x10\x02\n\x00:"
      "\x08\n\x04\x08\x02\x10\x03\n\x00\x00\x01\x11y\x08\t\x12\x04\x12\x02\x08\x02 <(\x10"
      "5\xe0.7}\x00\x00\x00\x00"
      "\x01\x00\x00\x00\x00\xbd\xe7\xb0\x01"s;
  const auto unmasked_of = [](std::string_view stored) { return decode_entry("\x35"s + std::string(stored))->crc32c; };
  const Tensor x{
      DType::float32,
      {5, 3},
      {{{{0, 2}, {0, 3}}, 0, 0, 24, unmasked_of("k>:\xa8")}, {{{2, 3}, {0, 3}}, 0, 24, 36, unmasked_of("i\xc1n\xa0")}}};
  const Tensor y{DType::int64, {2}, {{{{0, 2}}, 0, 60, 16, unmasked_of("\xe0.7}")}}};
  const std::string ours = encode_index({1, {{"x", x}, {"y", y}}});
  EXPECT_EQ(ours.substr(0, blocks_of_tensorflow.size()), blocks_of_tensorflow);
}

TEST(Bundle, SaysWhatIsWrongWithTheHeader) {
  const auto file_problem = [](const Table& table) {
    return std::get<Corrupt>(decode_index(encode_table(table))).text;
  };
  EXPECT_EQ(file_problem({}), "the index has no header");
  EXPECT_EQ(file_problem({{"a", encode_entry(entry({}, 1))}}), "the index has no header");
  EXPECT_EQ(problem({}, "\x08"), "the index has a header that cannot be read");
  EXPECT_EQ(problem({}, ""), "the index names 0 shards");
  EXPECT_EQ(problem({}, "\x08\xa0\x8d\x06"), "the index names 100000 shards");
  EXPECT_EQ(problem({}, "\x08\x01\x10\x01"), "the index is of a big-endian machine");
  EXPECT_EQ(problem({}, "\x08\x01\x1a\x02\x10\x02"), "the index is of a newer version of the bundle than 1");
  EXPECT_EQ(problem({}), "no problem");
}

TEST(Bundle, SaysWhatIsWrongWithATensor) {
  EXPECT_EQ(problem({{"a\n", entry({2}, 3)}}), "tensor a? of the index has 3 bytes for 2 elements of uint8");
  EXPECT_EQ(problem({{"a", entry({-1}, 3)}}), "tensor a of the index has the impossible shape [-1]");
  EXPECT_EQ(problem({{"a", entry({1ll << 40, 1ll << 40}, 3)}}),
            "tensor a of the index has the impossible shape [1099511627776,1099511627776]");
  EXPECT_EQ(problem({{"a", entry({0, 1ll << 62}, 0)}}),
            "tensor a of the index has the impossible shape [0,4611686018427387904]");
  BundleEntry far = entry({2}, 2);
  far.offset = UINT64_MAX;
  EXPECT_EQ(problem({{"a", far}}), "tensor a of the index has bytes beyond the end of any file");
  BundleEntry elsewhere = entry({2}, 2);
  elsewhere.shard = 2;
  EXPECT_EQ(problem({{"a", elsewhere}}), "tensor a of the index lies in a shard that does not exist");
  const Decoded<Bundle> cut = decode_index(encode_table({{"", encode_header(1)}, {"a", "\x12\x05"}}));
  EXPECT_EQ(std::get<Corrupt>(cut).text, "tensor a of the index has an entry that cannot be read");
}

TEST(Bundle, SaysWhatIsWrongWithSlices) {
  const std::vector<Extent> top{{0, 2}, whole_dimension};
  const std::vector<Extent> rest{{2, 3}, whole_dimension};
  const std::string top_key = slice_key("a", top);
  const std::string rest_key = slice_key("a", rest);
  const BundleEntry both = entry({5, 3}, 0, {top, rest});
  EXPECT_EQ(problem({{"a", both}, {top_key, entry({2, 3}, 6)}, {rest_key, entry({3, 3}, 9)}}), "no problem");
  EXPECT_EQ(problem({{"a", both}, {top_key, entry({2, 3}, 6)}}),
            "tensor a of the index names a slice that the index does not hold");
  EXPECT_EQ(problem({{"a", both}, {top_key, entry({3, 2}, 6)}, {rest_key, entry({3, 3}, 9)}}),
            "tensor a of the index has a slice of another shape than it names");
  EXPECT_EQ(problem({{"a", both}, {top_key, entry({2, 3}, 0, {top})}, {rest_key, entry({3, 3}, 9)}}),
            "tensor a of the index has a slice that cannot be read");
  EXPECT_EQ(problem({{"a", entry({5, 3}, 0, {rest})}, {rest_key, entry({3, 3}, 9)}}),
            "tensor a of the index has rows [0, 2) nowhere");
  EXPECT_EQ(problem({{"a", entry({5, 3}, 0, {top})}, {top_key, entry({2, 3}, 6)}}),
            "tensor a of the index has rows [2, 5) nowhere");
  EXPECT_EQ(problem({{"a", entry({4, 3}, 0, {top, rest})}, {top_key, entry({2, 3}, 6)}, {rest_key, entry({3, 3}, 9)}}),
            "tensor a of the index has a slice outside its shape [4,3]");
  EXPECT_EQ(problem({{top_key, entry({2, 3}, 6)}}), "the index holds slices that no tensor names");
}

TEST(Bundle, SaysWhereSlicesMeetTwiceOrNot) {
  const auto two = [](std::vector<Extent> one, std::vector<Extent> other) {
    const auto slice = [](const std::vector<Extent>& extents) {
      const Shape shape{extents[0].length, extents[1].length};
      return entry(shape, static_cast<std::uint64_t>(shape[0] * shape[1]));
    };
    return problem({{"a", entry({4, 4}, 0, {one, other})},
                    {slice_key("a", one), slice(one)},
                    {slice_key("a", other), slice(other)}});
  };
  EXPECT_EQ(two({{0, 3}, {0, 4}}, {{2, 2}, {0, 4}}), "tensor a of the index has rows [2, 3) twice");
  EXPECT_EQ(two({{0, 4}, {0, 3}}, {{0, 4}, {2, 2}}), "tensor a of the index has slices that overlap");
  EXPECT_EQ(two({{0, 4}, {0, 2}}, {{0, 4}, {3, 1}}), "tensor a of the index has elements in no slice");
  EXPECT_EQ(two({{0, 4}, {0, 2}}, {{0, 4}, {2, 2}}), "no problem");
}

}  // namespace
}  // namespace carrack::checkpoint
