// The manifest of a snapshot and its rows as bytes, as docs/formats/snapshot.md has them, and what is no manifest.
#include "dataloader/pipeline/snapshots/snapshot_manifest.h"

#include <gtest/gtest.h>

#include <random>

#include "dataloader/crc32c.h"
#include "tests/dataloader/pipeline/snapshots.h"

namespace carrack::data {
namespace {

SnapshotManifest with_origin(const std::string& pipeline, unsigned version) {
  return {{pipeline, {{"gs://b/x-0.tfrecord", "760000 1700000000000000"}}, version},
          {{"id", 2}, {"a b", 1, {2, 3}, 1}},
          {{3, 71, 93, 0x1a2b3c4d, 1}, {2, 60, 62, 7, 0}},
          {{Fault::bad_data, "gs://b/x-0.tfrecord", 7, 266, 38, "the data does not match its checksum"}}};
}

const SnapshotManifest shown = with_origin(
    "records file=gs://b/x-*.tfrecord > parse column=record feature=id,int64 > map name=tens > snapshot "
    "compression=GZIP shard_rows=0",
    SnapshotOrigin::current_version);
const SnapshotManifest legacy =
    with_origin("records(gs://b/x-*.tfrecord) > parse(record: id int64) > map(tens) > snapshot(GZIP)",
                SnapshotOrigin::legacy_version);

const std::string shown_lines =
    "source gs://b/x-0.tfrecord 760000%201700000000000000\n"
    "column id int64 [] 0\n"
    "column a%20b float32 [2,3] 1\n"
    "shard 3 71 93 1a2b3c4d 1\n"
    "shard 2 60 62 00000007 0\n"
    "lost 2 record gs://b/x-0.tfrecord 7 266 38 0 the%20data%20does%20not%20match%20its%20checksum\n";
const std::string shown_text =
    "carrack snapshot 2\n"
    "pipeline "
    "records%20file=gs://b/x-*.tfrecord%20>%20parse%20column=record%20feature=id,int64%20>%20map%20name=tens%20>"
    "%20snapshot%20compression=GZIP%20shard_rows=0\n" +
    shown_lines + "crc32c b86df859\n";
const std::string legacy_text =
    "carrack snapshot 1\n"
    "pipeline records(gs://b/x-*.tfrecord)%20>%20parse(record:%20id%20int64)%20>%20map(tens)%20>%20snapshot(GZIP)\n" +
    shown_lines + "crc32c 60adb375\n";

std::string sealed(const std::string& lines) {
  char seal[17];
  std::snprintf(seal, sizeof seal, "crc32c %08x\n", static_cast<unsigned>(crc32c(std::as_bytes(std::span(lines)), 0)));
  return lines + seal;
}

std::string why_not(const std::string& text) {
  const auto found = parse_snapshot_manifest(text);
  const auto* why = std::get_if<std::string>(&found);
  return why == nullptr ? "none" : *why;
}

TEST(SnapshotManifest, IsWrittenAsDocumented) {
  EXPECT_EQ(to_text(shown), shown_text);
  EXPECT_EQ(std::get<SnapshotManifest>(parse_snapshot_manifest(shown_text)), shown);
  EXPECT_EQ(fingerprint_of(shown.origin), "984f0dd83530873f");
}

TEST(SnapshotManifest, OfVersion1IsWrittenAsDocumented) {
  EXPECT_EQ(to_text(legacy), legacy_text);
  EXPECT_EQ(std::get<SnapshotManifest>(parse_snapshot_manifest(legacy_text)), legacy);
  EXPECT_EQ(fingerprint_of(legacy.origin), "bbdfe13dcd34d86a");
}

TEST(SnapshotManifest, HoldsAnyNames) {
  SnapshotManifest manifest = shown;
  std::string all;
  for (int letter = 0; letter < 256; ++letter) all += static_cast<char>(letter);
  manifest.origin = {all, {{all, ""}, {"", all}}};
  manifest.columns = {{all, 3, {7}, 2}, {""}};
  manifest.lost[0].file = manifest.lost[0].message = all;
  manifest.lost[0].inflated = true;
  manifest.shards[1].lost = 1;
  manifest.lost.push_back({Fault::bad_row, "", 0, 0, 0, "", false, "row"});
  EXPECT_EQ(std::get<SnapshotManifest>(parse_snapshot_manifest(to_text(manifest))), manifest);
  EXPECT_EQ(std::get<SnapshotManifest>(parse_snapshot_manifest(to_text(SnapshotManifest{}))), SnapshotManifest{});
}

TEST(SnapshotManifest, IsRefusedWithWhatIsWrong) {
  const std::string head = "carrack snapshot 1\npipeline p\n";
  EXPECT_EQ(why_not(""), "it is not a manifest of a snapshot");
  EXPECT_EQ(why_not("\x1b[2J"), "it is not a manifest of a snapshot");
  EXPECT_EQ(why_not("carrack snapshot 2\x1b\n"), "it is of version 2%1b, and versions 1 and 2 are known here");
  EXPECT_EQ(why_not("carrack snapshot 1\n"), "it does not match its checksum");
  EXPECT_EQ(why_not("carrack snapshot 1"), "it does not match its checksum");
  EXPECT_EQ(why_not(shown_text.substr(0, 100)), "it does not match its checksum");
  EXPECT_EQ(why_not(sealed("carrack snapshot 1\nsource a b\n")), "line 2 does not belong in a manifest");
  for (const char* line :
       {"", "nothing", "source a", "source a b c", "source %zz b", "column x float64 [] 0", "column x float32 2 0",
        "column x float32 [] -1", "shard 1 2 3 x 4", "shard 1 2 3 4", "shard 18446744073709551616 0 0 00000000 0",
        "lost 200 record f 1 2 3 0 w", "lost 10 record f 1 2 3 0 w"})
    EXPECT_EQ(why_not(sealed(head + line + "\n")), "line 3 does not belong in a manifest") << line;
  for (const char* line : {"column x float32 [] 17", "column x float32 [9223372036854775808,2] 1",
                           "column x float32 [0] 0", "column x float32 [4] 0"})
    EXPECT_EQ(why_not(sealed(head + line + "\nshard 1 3 3 00000000 0\n")),
              "column \"x\" is not one that its files can hold")
        << line;
  EXPECT_EQ(why_not(sealed(head + "shard 9 9 9 00000000 2\nlost 2 record f 1 2 3 0 w\n")),
            "it tells of 1 lost rows, and its files lack 2");
  for (const char* lines :
       {"source %4 b", "source a%62 b", "source a %4A", "shard 01 0 0 00000000 0", "shard 1 0 0 0000000 0",
        "column x float32 [2,] 1", "shard 9 9 9 00000000 0\nsource a b", "source a b\r",
        "shard 9 9 9 00000000 1\nlost 2 line f 1 2 3 0 w", "shard 9 9 9 00000000 1\nlost 2 row f 1 2 3 2 w"})
    EXPECT_EQ(why_not(sealed(head + "shard 9 9 9 00000000 0\n" + lines + "\n")),
              "its lines are in another order, or spelled otherwise")
        << lines;
}

// All lists may be empty, so an item may be larger than the file.
TEST(SnapshotManifest, HoldsListsOfAnyItems) {
  EXPECT_EQ(why_not(sealed("carrack snapshot 1\npipeline p\ncolumn x float32 [4] 1\nshard 1 3 3 00000000 0\n")),
            "none");
}

TEST(SnapshotManifest, IsAValueOrWordsForAnyBytes) {
  std::mt19937 random(1);
  int good = 0;
  for (int time = 0; time < 20'000; ++time) {
    std::string text = shown_text.substr(0, shown_text.size() - 16);
    for (unsigned change = random() % 4; change > 0; --change) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text[at] = static_cast<char>(random());
      } else {
        text.erase(at, random() % 9);
      }
    }
    const auto found = parse_snapshot_manifest(sealed(text));
    if (const auto* manifest = std::get_if<SnapshotManifest>(&found)) {
      ++good;
      ASSERT_EQ(to_text(*manifest), sealed(text));
    }
  }
  EXPECT_GT(good, 5'000);
  EXPECT_LT(good, 15'000);
}

TEST(RowExamples, AreWrittenAsDocumented) {
  Rows rows = numbers(7, 8);
  rows.columns.push_back({"x", LargeVector<float>{1.5}, {}, {{0, 2}, {0, 1, 1}}});
  rows.columns.push_back({"image", LargeVector<std::uint8_t>{1, 2}, {1, 2}});
  const std::vector<NamedColumn> columns = rows.columns;
  const std::vector<ColumnType> types = types_of(rows);
  to_examples(rows);
  std::string hex;
  for (const char byte : std::get<LargeVector<std::string_view>>(rows.column("record").values)[0]) {
    char two[4];
    std::snprintf(two, sizeof two, "%02x ", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    hex += two;
  }
  EXPECT_EQ(hex,
            "0a 42 "
            "0a 0b 0a 02 69 64 12 05 1a 03 0a 01 07 "
            "0a 13 0a 09 78 2f 6c 65 6e 67 74 68 73 12 06 1a 04 0a 02 01 00 "
            "0a 0d 0a 01 78 12 08 12 06 0a 04 00 00 c0 3f "
            "0a 0f 0a 05 69 6d 61 67 65 12 06 0a 04 0a 02 01 02 ");
  from_examples(types)(rows);
  EXPECT_EQ(rows.columns, columns);
}

// What an image should be is more than its bytes.
TEST(RowExamples, ThatHoldOtherBytesThanTheirColumnAreLost) {
  Rows rows;
  rows.count = 2;
  rows.columns.push_back({"image", LargeVector<std::uint8_t>{1, 2, 3, 4}, {2}});
  to_examples(rows);
  from_examples({{"image", 3, {3}}})(rows);
  EXPECT_EQ(rows.count, 0u);
  ASSERT_EQ(rows.lost.size(), 2u);
  EXPECT_EQ(text(rows.lost[1].why), ": record 1 at byte 0: feature \"image\" has 2 bytes, and 3 are needed");
}

}  // namespace
}  // namespace carrack::data
