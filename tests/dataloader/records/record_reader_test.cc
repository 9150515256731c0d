#include "dataloader/records/record_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "dataloader/crc32c.h"
#include "dataloader/records/little_endian.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/reading.h"

namespace carrack::data {
namespace {

Bytes front(const Bytes& file, std::size_t size) {
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST(RecordReader, GivesRecordsWithTheirNumbersAndOffsets) {
  EXPECT_EQ(read_all(file_of({"one", "", "three"})), (Lines{"0@0 one", "1@19 ", "2@35 three"}));
}

TEST(RecordReader, TakesAnEmptyFileForOneWithoutRecords) {
  EXPECT_EQ(read_all(Bytes()), Lines());
}

TEST(RecordReader, GivesTheSameWhateverTheSizeOfItsPieces) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 200; ++i) texts.push_back(std::string(i * i % 113, static_cast<char>('a' + i % 26)));
  const Bytes file = file_of({texts.begin(), texts.end()});
  const Lines expected = read_all(file);
  ASSERT_EQ(expected.size(), 200);
  for (const std::size_t piece : {1u, 17u, 64u, 129u, 1000u}) EXPECT_EQ(read_all(file, {.piece = piece}), expected);
}

TEST(RecordReader, GivesManyRecordsACall) {
  const MemorySource source(file_of(std::vector<std::string_view>(100, "record")));
  RecordReader reader(source);
  EXPECT_EQ(std::get<Records>(reader.next()).records.size(), 100);
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

TEST(RecordReader, CallsACutTailAFaultWhereverItIsCut) {
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

TEST(RecordReader, TakesACutTailForTheEndWhereItMayBeCut) {
  const Bytes file = file_of({"one", "two"});
  for (std::size_t size = 19; size < file.size(); ++size)
    EXPECT_EQ(read_all(front(file, size), {.may_be_cut = true}), Lines{"0@0 one"}) << size;
}

TEST(RecordReader, SaysOtherFaultsAlsoWhereTheTailMayBeCut) {
  Bytes file = file_of({"one", "two", "three"});
  flip_bit(file, 12);
  flip_bit(file, 19);
  file.pop_back();
  EXPECT_EQ(read_all(file, {.may_be_cut = true}),
            (Lines{"x.tfrecord: record 0 at byte 0: the data does not match its checksum; lost 19",
                   "x.tfrecord: record 1 at byte 19: the length does not match its checksum; lost 39"}));
}

TEST(RecordReader, AllocatesNothingForALengthThatTheFileCannotHold) {
  for (const std::uint64_t length : {std::uint64_t{1} << 62, ~std::uint64_t{0}, std::uint64_t{1} << 40}) {
    Bytes file;
    append_number(file, length);
    append_number(file, masked_crc32c(file));
    append_number(file, std::uint32_t{0});
    EXPECT_EQ(read_all(file), Lines{"x.tfrecord: record 0 at byte 0: the file ends within the record; lost 16"});
  }
}

TEST(RecordReader, SaysWhenTheFileChangesWhileItIsRead) {
  MemorySource source(file_of(std::vector<std::string_view>(10, "record")));
  RecordReader reader(source, {.piece = 64});
  ASSERT_EQ(std::get<Records>(reader.next()).records.size(), 2);
  source.bytes.resize(100);
  EXPECT_EQ(read_all(reader),
            Lines{"x.tfrecord: record 2 at byte 44: the file has changed since it was opened; lost 176"});
}

}  // namespace
}  // namespace carrack::data
