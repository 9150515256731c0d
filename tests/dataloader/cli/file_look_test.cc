#include "dataloader/cli/file_look.h"

#include <gtest/gtest.h>

#include "dataloader/cli/looks_like.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data::cli {
namespace {

using std::string_literals::operator""s;

struct Seen {
  FileLook look;
  std::vector<std::string> records;
};

Seen seen(const Bytes& file, Front front = {}) {
  Seen seen;
  seen.look = look_at(MemorySource(file), front, [&](const Records& records) {
    for (const Record& record : records.records) seen.records.emplace_back(wire::text_of(record.data));
  });
  return seen;
}

Bytes bytes(const std::string& text) {
  return {wire::bytes_of(text).begin(), wire::bytes_of(text).end()};
}

const Bytes three = file_of({"one", "", "three"});

TEST(FileLook, IsOfAllRecords) {
  for (const Bytes& file : {three, compressed(three, Compression::gzip)}) {
    const auto [look, records] = seen(file);
    EXPECT_EQ(records, (std::vector<std::string>{"one", "", "three"}));
    EXPECT_EQ(look.records, 3U);
    EXPECT_EQ(look.bytes, file.size());
    EXPECT_EQ(look.seen, three.size());
    EXPECT_EQ(look.sizes, (Range{0, 5}));
    EXPECT_EQ(look.median_size, 3);
    EXPECT_TRUE(look.whole);
    EXPECT_TRUE(look.holds_records());
    EXPECT_EQ(look.damaged, 0U);
  }
}

TEST(FileLook, StopsBehindAsManyRecordsAsItWasTold) {
  const auto [look, records] = seen(three, {.records = 2});
  EXPECT_EQ(records, (std::vector<std::string>{"one", ""}));
  EXPECT_FALSE(look.whole);
  EXPECT_EQ(look.estimated_records(), 3U);  // 56 bytes of which 35 are two records
  EXPECT_TRUE(seen(three, {.records = 3}).look.whole);
  EXPECT_EQ(seen(compressed(three, Compression::zlib), {.records = 2}).look.estimated_records(), std::nullopt);
}

TEST(FileLook, StopsBehindAsManyBytesWhichIsNoDamage) {
  const auto [look, records] = seen(three, {.bytes = 50});
  EXPECT_EQ(records.size(), 2U);
  EXPECT_FALSE(look.whole);
  EXPECT_EQ(look.damaged, 0U);
}

TEST(FileLook, NamesWhatIsDamaged) {
  Bytes file = three;
  flip_bit(file, 13);
  const auto [look, records] = seen(file);
  EXPECT_EQ(look.records, 2U);
  EXPECT_EQ(look.damaged, 1U);
  EXPECT_EQ(look.lost, 19U);
  ASSERT_EQ(look.faults.size(), 1U);
  EXPECT_EQ(text(look.faults[0]), "x.tfrecord: record 0 at byte 0: the data does not match its checksum");
  EXPECT_TRUE(look.holds_records());
  EXPECT_EQ(seen(file, {.ends_with_damage = true}).look.records, 0U);
}

TEST(FileLook, KeepsABoundedNumberOfFaults) {
  const std::vector<std::string_view> ones(FileLook::most_faults + 5, "one");
  Bytes file = file_of(ones);
  for (std::size_t record = 0; record < ones.size(); ++record) flip_bit(file, record * 19 + 13);
  const FileLook look = seen(file).look;
  EXPECT_EQ(look.faults.size(), FileLook::most_faults);
  EXPECT_EQ(look.damaged, ones.size());
  EXPECT_EQ(look.lost, file.size());
}

TEST(FileLook, SaysWhatAFileOfNoRecordsLooksLike) {
  EXPECT_EQ(seen({}).look.looks, "");
  EXPECT_EQ(seen(bytes("id,x,y\n1,2,3\n")).look.looks, "text");
  EXPECT_EQ(seen(bytes("a")).look.looks, "text");
  EXPECT_EQ(seen(compressed(bytes("id,x,y\n1,2,3\n"), Compression::gzip)).look.looks, "GZIP of something else");
  EXPECT_EQ(seen(compressed(bytes("id,x,y\n1,2,3\n"), Compression::zlib)).look.looks, "ZLIB of something else");
  EXPECT_EQ(seen(bytes("version https://git-lfs.github.com/spec/v1\n")).look.kind, Kind::lfs_pointer);
  EXPECT_FALSE(seen(bytes("version https://git-lfs.github.com/spec/v1\n")).look.holds_records());
}

TEST(FileLook, TakesADamagedBeginningForNothingElse) {
  Bytes file = three;
  flip_bit(file, 0);
  EXPECT_EQ(seen(file).look.looks, "");
  const Bytes packed = compressed(three, Compression::gzip);
  EXPECT_EQ(seen(front(packed, packed.size() - 12)).look.looks, "");
}

TEST(LooksLike, KnowsCommonFiles) {
  const auto told = [](const std::string& text) { return looks_like(wire::bytes_of(text)); };
  EXPECT_EQ(told(" \n{\"x\": 1}"), "JSON");
  EXPECT_EQ(told("x,y\n"), "text");
  EXPECT_EQ(told("grüße"), "text");
  EXPECT_EQ(told(std::string(511, 'a') + "ä"), "text") << "cut within a character";
  EXPECT_EQ(told("PAR1\x15"), "a Parquet file");
  EXPECT_EQ(told("\x93NUMPY\x01\0"s), "a NumPy array (npy)");
  EXPECT_EQ(told("PK\x03\x04\x14"), "a ZIP archive, as npz files are");
  EXPECT_EQ(told("CRRKIDX1\x01"), "an index of Carrack's");
  EXPECT_EQ(told("GIF89a\x0a\x00\x14\x00"s), "a GIF image of 10x20");
  EXPECT_EQ(told("\x01\x02\x03"), "of unknown kind");
}

}  // namespace
}  // namespace carrack::data::cli
