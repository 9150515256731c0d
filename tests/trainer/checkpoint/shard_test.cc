#include "trainer/checkpoint/shard.h"

#include <gtest/gtest.h>

#include "dataloader/crc32c.h"
#include "tests/trainer/checkpoint/samples.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

using samples::Files;

std::string problem(const Decoded<Bundle>& merged) {
  const auto* corrupt = std::get_if<Corrupt>(&merged);
  return corrupt ? corrupt->text : "no problem";
}

std::vector<ShardReport> two_shards() {
  Files files;
  return samples::write_shards(files, {{"a", DType::uint8, {4, 2}}, {"b", DType::uint8, {3}}}, "p", 2);
}

TEST(ShardWriter, ReportsWhatLiesWhere) {
  Files files;
  const auto reports = samples::write_shards(files, {{"a", DType::uint8, {4, 2}}, {"s", DType::int64, {}}}, "p", 2);
  ASSERT_EQ(reports.size(), 2u);
  const std::string& second = files["p.data-00001-of-00002"];
  EXPECT_EQ(files["p.data-00000-of-00002"], std::string("\0\1\2\3", 4));
  EXPECT_EQ(second, std::string("\4\5\6\7\0\0\0\0\0\0\0\0", 12));
  ASSERT_EQ(reports[1].entries.size(), 2u);
  const ShardEntry& a = reports[1].entries[0];
  EXPECT_EQ(a, (ShardEntry{
                   "a", DType::uint8, {4, 2}, {2, 2}, 0, 4, data::crc32c(std::as_bytes(std::span(second).first(4)))}));
  EXPECT_EQ(reports[1].entries[1].offset, 4u);
  EXPECT_EQ(reports[1].size, 12u);
  EXPECT_EQ(reports[1].crc32c, data::crc32c(std::as_bytes(std::span(second))));
}

TEST(ShardWriter, WritesALargeTensorInPieces) {
  std::vector<std::byte> values((1 << 20) + 12), written;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(i % 251);
  std::size_t largest = 0;
  ShardWriter writer([&](std::span<const std::byte> piece) {
    largest = std::max(largest, piece.size());
    written.insert(written.end(), piece.begin(), piece.end());
  });
  const auto count = static_cast<std::int64_t>(values.size());
  writer.add("w", DType::uint8, {count}, {0, count}, values);
  EXPECT_EQ(written, values);
  EXPECT_LT(largest, values.size() / 2);
  EXPECT_EQ(writer.report().size, values.size());
  EXPECT_EQ(writer.report().crc32c, data::crc32c(values));
  ASSERT_EQ(writer.report().entries.size(), 1U);
  EXPECT_EQ(writer.report().entries[0].crc32c, data::crc32c(values));
  EXPECT_EQ(writer.report().entries[0].size, values.size());
}

TEST(ShardWriter, RefusesBytesThatAreNotThoseRows) {
  ShardWriter writer([](std::span<const std::byte>) {});
  const std::vector<std::byte> six(6);
  const auto text = [&](DType dtype, Rows rows) -> std::string {
    try {
      writer.add("w", dtype, {4, 2}, rows, six);
      return "no problem";
    } catch (const train::Error& error) {
      EXPECT_EQ(error.blame(), train::Blame::bug);
      return error.what();
    }
  };
  EXPECT_EQ(text(DType::uint8, {1, 2}), "checkpoint: 6 bytes for 2 rows from 1 of w uint8[4,2]");
  EXPECT_EQ(text(DType::uint8, {2, 3}), "checkpoint: 6 bytes for 3 rows from 2 of w uint8[4,2]");
  EXPECT_EQ(text(DType::string, {1, 3}), "no row of string[4,2] has a size");
  EXPECT_EQ(text(DType::uint8, {1, 3}), "no problem");
}

TEST(Merge, MakesWholeTensorsOrdinaryEntriesAndOthersSlices) {
  const Decoded<Bundle> merged = merge(two_shards());
  ASSERT_EQ(problem(merged), "no problem");
  const Bundle& bundle = std::get<Bundle>(merged);
  EXPECT_EQ(bundle.shards, 2u);
  const std::vector<Part>& parts = bundle.tensors.at("a").parts;
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].extents, (std::vector<Extent>{{2, 2}, {0, 2}}));
  EXPECT_EQ(parts[1].shard, 1u);
}

TEST(Merge, TakesRunsOfRowsInAnyOrderFromAnyShard) {
  const std::vector<std::byte> row(2);
  ShardWriter first([](std::span<const std::byte>) {});
  ShardWriter second([](std::span<const std::byte>) {});
  first.add("a", DType::uint8, {4, 2}, {3, 1}, row);
  first.add("a", DType::uint8, {4, 2}, {0, 1}, row);
  second.add("a", DType::uint8, {4, 2}, {2, 1}, row);
  second.add("a", DType::uint8, {4, 2}, {1, 1}, row);
  const Decoded<Bundle> merged = merge(std::vector{first.report(), second.report()});
  ASSERT_EQ(problem(merged), "no problem");
  const auto decoded = decode_index(encode_index(std::get<Bundle>(merged)));
  EXPECT_EQ(std::get<Bundle>(decoded), std::get<Bundle>(merged));
}

TEST(Merge, SaysWhyAReportCannotBeTrue) {
  const auto changed = [](auto change) {
    std::vector<ShardReport> reports = two_shards();
    change(reports[1]);
    return problem(merge(reports));
  };
  EXPECT_EQ(problem(merge({})), "a bundle has 1 to 99999 shards, not 0");
  EXPECT_EQ(changed([](ShardReport& report) { report.entries[1].offset = 5; }),
            "the report of shard 1 has a gap before tensor b");
  EXPECT_EQ(changed([](ShardReport& report) { report.entries[1].crc32c ^= 1; }),
            "the report of shard 1 has a size or checksum that its entries do not add up to");
  EXPECT_EQ(changed([](ShardReport& report) { report.entries[1].size = UINT64_MAX; }),
            "the report of shard 1 has impossible sizes");
  EXPECT_EQ(changed([](ShardReport& report) { report.entries[1].name = "b c"; }),
            "the report of shard 1 names a tensor with characters that are not printable ASCII, or none");
  EXPECT_EQ(changed([](ShardReport& report) { report.entries[0].dtype = DType::int8; }),
            "the report of shard 1 has tensor a as int8[4,2], another shard as uint8[4,2]");
  EXPECT_EQ(changed([](ShardReport& report) { report.entries[1].shape = {}; }),
            "the report of shard 1 has a scalar, b, in rows");
}

TEST(Merge, RefusesSlicesOfTypesThatTensorFlowReadsOnlyWhole) {
  const std::vector<std::byte> row(2);
  std::vector<ShardReport> reports;
  for (const std::int64_t begin : {0, 1}) {
    ShardWriter writer([](std::span<const std::byte>) {});
    writer.add("a", DType::float16, {2}, {begin, 1}, row);
    reports.push_back(writer.report());
  }
  EXPECT_EQ(problem(merge(reports)),
            "tensor a of the shards is in slices, and TensorFlow reads float16 only whole; keep it in one shard");
}

TEST(Merge, SaysWhichRowsAreNowhereOrTwice) {
  std::vector<ShardReport> reports = two_shards();
  reports[1].entries[0].rows = {1, 2};
  EXPECT_EQ(problem(merge(reports)), "tensor a of the shards has rows [1, 2) twice");
  reports[1].entries[0].rows = {2, 3};
  EXPECT_EQ(problem(merge(reports)), "tensor a of the shards has a slice outside its shape [4,2]");
  reports[1].entries[0].rows = {2, 0};
  EXPECT_EQ(problem(merge(reports)), "tensor a of the shards has rows [2, 4) nowhere");
  reports[1].entries[0].rows = {2, 1};
  EXPECT_EQ(problem(merge(reports)), "tensor a of the shards has 4 bytes for 2 elements of uint8");
  reports[0] = {};
  reports[1].entries[0].rows = {2, 2};
  EXPECT_EQ(problem(merge(reports)), "tensor a of the shards has rows [0, 2) nowhere");
}

}  // namespace
}  // namespace carrack::checkpoint
