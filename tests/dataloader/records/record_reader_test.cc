#include "dataloader/records/record_reader.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/crc32c.h"
#include "dataloader/records/little_endian.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/reading.h"

namespace carrack::data {
namespace {

TEST(RecordReader, ReturnsRecordsWithNumbersAndOffsets) {
  EXPECT_EQ(read_all(file_of({"one", "", "three"})), (Lines{"0@0 one", "1@19 ", "2@35 three"}));
}

TEST(RecordReader, ReadsAnEmptyFile) {
  EXPECT_EQ(read_all(Bytes()), Lines());
}

TEST(RecordReader, DoesNotDependOnTheSizeOfPieces) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 200; ++i) texts.push_back(std::string(i * i % 113, static_cast<char>('a' + i % 26)));
  const Bytes file = file_of({texts.begin(), texts.end()});
  const Lines expected = read_all(file);
  ASSERT_EQ(expected.size(), 200);
  for (const std::size_t piece : {1u, 17u, 64u, 129u, 1000u}) EXPECT_EQ(read_all(file, {.piece = piece}), expected);
}

TEST(RecordReader, ReturnsManyRecordsACall) {
  const MemorySource source(file_of(std::vector<std::string_view>(100, "record")));
  RecordReader reader(source);
  EXPECT_EQ(std::get<Records>(reader.next()).records.size(), 100);
}

// Notes where each read begins, and where its bytes go.
class NotedSource final : public ByteSource {
 public:
  explicit NotedSource(Bytes content) : ByteSource("x.tfrecord", {content.size(), {"1"}}), bytes_(std::move(content)) {}

  ReadResult read(std::span<const Slice> slices) const override {
    for (const Slice& slice : slices) {
      offsets.push_back(slice.offset);
      places.insert(slice.into.data());
    }
    return bytes_.read(slices);
  }

  mutable std::vector<std::uint64_t> offsets;
  mutable std::set<const std::byte*> places;

 private:
  const MemorySource bytes_;
};

TEST(RecordReader, ReadsWholePiecesToTheSamePlace) {
  const NotedSource source(file_of(std::vector<std::string_view>(10, "record")));  // of 22 bytes each
  RecordReader reader(source, {.piece = 64});
  EXPECT_EQ(read_all(reader).size(), 10);
  EXPECT_EQ(source.offsets, (std::vector<std::uint64_t>{0, 64, 128, 192}));
  EXPECT_EQ(source.places.size(), 1);
}

TEST(RecordReader, LosesExactlyTheRecordWhoseDataIsBad) {
  Bytes file = file_of({"one", "two", "three"});
  flip_bit(file, 19 + 12);
  const Lines expected = {"0@0 one", "x.tfrecord: record 1 at byte 19: the data does not match its checksum; lost 19",
                          "2@38 three"};
  EXPECT_EQ(read_all(file), expected);
  EXPECT_EQ(read_all(file, {.piece = 20}), expected);
  flip_bit(file, 19 + 12);
  flip_bit(file, 19 + 15);  // The checksum itself.
  EXPECT_EQ(read_all(file), expected);
}

TEST(RecordReader, ReportsATruncatedTailAtAnyByte) {
  const Bytes file = file_of({"one", "two"});
  for (std::size_t size = 20; size < file.size(); ++size) {
    const Lines expected = {"0@0 one", "x.tfrecord: record 1 at byte 19: the file ends within the record; lost " +
                                           std::to_string(size - 19)};
    EXPECT_EQ(read_all(front(file, size)), expected) << size;
  }
  for (std::size_t size = 1; size < 19; ++size) {
    EXPECT_EQ(read_all(front(file, size)),
              Lines{"x.tfrecord: record 0 at byte 0: the file ends within the record; lost " + std::to_string(size)});
  }
}

TEST(RecordReader, AcceptsATruncatedTailIfAllowed) {
  const Bytes file = file_of({"one", "two"});
  for (std::size_t size = 19; size < file.size(); ++size)
    EXPECT_EQ(read_all(front(file, size), {.allow_truncated = true}), Lines{"0@0 one"}) << size;
}

TEST(RecordReader, ReportsOtherFaultsIfTruncationIsAllowed) {
  Bytes file = file_of({"one", "two", "three"});
  flip_bit(file, 12);
  flip_bit(file, 19);
  file.pop_back();
  EXPECT_EQ(read_all(file, {.allow_truncated = true}),
            (Lines{"x.tfrecord: record 0 at byte 0: the data does not match its checksum; lost 19",
                   "x.tfrecord: record 1 at byte 19: the length does not match its checksum; lost 39"}));
}

TEST(RecordReader, AllocatesNothingForALengthThatTheFileCannotHold) {
  constexpr std::uint64_t two_gibibytes = std::uint64_t{2} << 30;
  for (const std::uint64_t length : {two_gibibytes, two_gibibytes + 1, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    Bytes file;
    append_number(file, length);
    append_number(file, masked_crc32c(file));
    append_number(file, std::uint32_t{0});
    const std::string why =
        length > two_gibibytes ? "the record is longer than 2 GiB" : "the file ends within the record";
    EXPECT_EQ(read_all(file), Lines{"x.tfrecord: record 0 at byte 0: " + why + "; lost 16"});
  }
}

TEST(RecordReader, NamesAGitLfsPointer) {
  const auto pointer = wire::bytes_of(
      "version https://git-lfs.github.com/spec/v1\n"
      "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
      "size 12345\n");
  EXPECT_EQ(read_all(Bytes(pointer.begin(), pointer.end())),
            Lines{"x.tfrecord: record 0 at byte 0: it is a pointer of Git LFS, not the file itself; `git lfs pull` "
                  "fetches that; lost 130"});
}

TEST(RecordReader, FindsNoRecordInAFileOfAnotherKind) {
  const auto page = wire::bytes_of("<!DOCTYPE html><html><body>404</body></html>");
  Bytes bytes(page.begin(), page.end());
  EXPECT_EQ(read_all(bytes), Lines{"x.tfrecord: record 0 at byte 0: it is text; `carrack data convert` makes TFRecords "
                                   "of CSV and of JSON lines; lost 44"});
  bytes[5] = std::byte{0};
  EXPECT_EQ(read_all(bytes), Lines{"x.tfrecord: record 0 at byte 0: the length does not match its checksum; lost 44"});
}

TEST(RecordReader, ReportsAFileThatChangesWhileItIsRead) {
  MemorySource source(file_of(std::vector<std::string_view>(10, "record")));
  RecordReader reader(source, {.piece = 64});
  ASSERT_EQ(std::get<Records>(reader.next()).records.size(), 2);
  source.bytes.resize(100);
  EXPECT_EQ(read_all(reader),
            Lines{"x.tfrecord: record 2 at byte 44: the file has changed since it was opened; lost 176"});
}

}  // namespace
}  // namespace carrack::data
