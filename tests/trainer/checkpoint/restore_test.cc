#include "trainer/checkpoint/restore.h"

#include <gtest/gtest.h>

#include "dataloader/crc32c.h"
#include "tests/trainer/checkpoint/samples.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

using samples::Files;
using samples::Sample;

StoredBundle stored(Files& files, const std::vector<Sample>& given, std::uint32_t shards) {
  const auto merged = merge(samples::write_shards(files, given, "p", shards));
  files["p.index"] = encode_index(std::get<Bundle>(merged));
  return {"p", std::get<Bundle>(decode_index(files["p.index"])), samples::reader(files)};
}

std::string problem(const StoredBundle& from, const std::string& name, Rows rows, std::size_t size) {
  std::vector<std::byte> into(size);
  const auto corrupt = read_rows(from, name, rows, into);
  return corrupt ? corrupt->text : "no problem";
}

TEST(ReadRows, GivesEveryTensorOfAnyShardsToAnyOthers) {
  for (const std::uint32_t shards : {1u, 2u, 3u, 7u}) {
    Files files;
    const StoredBundle from = stored(files, samples::samples(), shards);
    for (const std::uint32_t readers : {1u, 2u, 5u}) {
      for (const Sample& sample : samples::samples()) {
        std::vector<std::byte> all;
        for (std::uint32_t reader = 0; reader < readers; ++reader) {
          const Rows rows = samples::rows_of(row_count(sample.shape), reader, readers);
          std::vector<std::byte> into(static_cast<std::size_t>(rows.count) * row_size(sample.dtype, sample.shape));
          ASSERT_FALSE(read_rows(from, sample.name, rows, into)) << sample.name;
          all.insert(all.end(), into.begin(), into.end());
        }
        EXPECT_EQ(all, samples::content(sample)) << sample.name << " of " << shards << " shards by " << readers;
      }
    }
  }
}

// TensorFlow's partitioners may cut at any dimension: here a [4,4] into 2x2 boxes, one shard each.
TEST(ReadRows, GivesRowsOfSlicesThatCutThem) {
  Files files;
  Tensor tensor{DType::uint8, {4, 4}, {}};
  for (const std::int64_t row : {0, 2}) {
    for (const std::int64_t column : {0, 2}) {
      const auto shard = static_cast<std::uint32_t>(row + column / 2);
      std::string& file = files[shard_name("p", shard, 4)];
      for (const std::int64_t at : {row * 4, row * 4 + 4}) {
        for (const std::int64_t i : {at + column, at + column + 1}) file.push_back(static_cast<char>(i));
      }
      const std::uint32_t crc = data::crc32c(std::as_bytes(std::span(file)));
      tensor.parts.push_back({{{row, 2}, {column, 2}}, shard, 0, 4, crc});
    }
  }
  const Bundle bundle{4, {{"w", tensor}}};
  const StoredBundle from{"p", std::get<Bundle>(decode_index(encode_index(bundle))), samples::reader(files)};
  std::vector<std::byte> rows(8);
  ASSERT_FALSE(read_rows(from, "w", {1, 2}, rows));
  EXPECT_EQ(samples::text(rows), std::string("\4\5\6\7\10\11\12\13", 8));
  // The third row is in the lower boxes, and their other row comes with it.
  std::map<std::uint64_t, std::string> pieces;
  ASSERT_FALSE(read_pieces(from, "w", {2, 1}, [&](std::span<const std::byte> bytes, std::uint64_t at) {
    EXPECT_TRUE(pieces.emplace(at, samples::text(bytes)).second) << at;
  }));
  EXPECT_EQ(pieces,
            (std::map<std::uint64_t, std::string>{{8, "\10\11"}, {10, "\12\13"}, {12, "\14\15"}, {14, "\16\17"}}));
  EXPECT_EQ(read_pieces(from, "w", {3, 2}, [](auto, auto) {})->text, "p: tensor w has 4 rows, not 2 from 3");
}

TEST(ReadRows, ReadsOnlySlicesThatHaveSomeOfTheRows) {
  Files files;
  StoredBundle from = stored(files, {{"a", DType::uint8, {6}}}, 3);
  std::vector<std::string> read;
  from.read = [&read, inner = samples::reader(files)](const std::string& name, std::uint64_t offset,
                                                      std::span<std::byte> into) {
    read.push_back(name);
    return inner(name, offset, into);
  };
  EXPECT_EQ(problem(from, "a", {2, 2}, 2), "no problem");
  EXPECT_EQ(read, std::vector<std::string>{"p.data-00001-of-00003"});
}

TEST(ReadRows, ReadsLongSlicesInPieces) {
  const Sample long_one{"a", DType::float32, {5'000'001}};
  Files files;
  StoredBundle from = stored(files, {long_one}, 1);
  std::size_t largest = 0;
  from.read = [&largest, inner = samples::reader(files)](const std::string& name, std::uint64_t offset,
                                                         std::span<std::byte> into) {
    largest = std::max(largest, into.size());
    return inner(name, offset, into);
  };
  std::vector<std::byte> into(samples::size_of(long_one));
  ASSERT_FALSE(read_rows(from, "a", {0, 5'000'001}, into));
  EXPECT_EQ(into, samples::content(long_one));
  EXPECT_EQ(largest, 8u << 20);
}

TEST(ReadRows, SaysWhatIsDamaged) {
  Files files;
  const StoredBundle from = stored(files, {{"a", DType::uint8, {6}}}, 2);
  std::string& second = files["p.data-00001-of-00002"];
  second[1] = 'x';
  EXPECT_EQ(problem(from, "a", {3, 1}, 1),
            "p.data-00001-of-00002: bytes [0, 3) have the CRC-32C 9df6602a, the index says f13116c9");
  EXPECT_EQ(problem(from, "a", {0, 3}, 3), "no problem");
  second.pop_back();
  EXPECT_EQ(problem(from, "a", {5, 1}, 1), "p.data-00001-of-00002: ends before byte 3, which the index names");
  files.erase("p.data-00001-of-00002");
  EXPECT_EQ(problem(from, "a", {5, 1}, 1), "p.data-00001-of-00002: ends before byte 3, which the index names");
}

TEST(ReadRows, SaysWhatTheBundleDoesNotHold) {
  Files files;
  StoredBundle from = stored(files, {{"a", DType::uint8, {6}}}, 1);
  from.bundle.tensors["graph"] = {DType::string, {}, {{{}, 0, 0, 9, 0}}};
  EXPECT_EQ(problem(from, "b", {0, 1}, 1), "p: holds no tensor b");
  EXPECT_EQ(problem(from, "graph", {0, 1}, 1), "p: tensor graph holds strings, which are not numbers");
  EXPECT_EQ(problem(from, "a", {5, 2}, 2), "p: tensor a has 6 rows, not 2 from 5");
  EXPECT_THROW(problem(from, "a", {5, 1}, 2), train::Error);
}

}  // namespace
}  // namespace carrack::checkpoint
