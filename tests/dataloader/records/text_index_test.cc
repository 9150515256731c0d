#include "dataloader/records/text_index.h"

#include <gtest/gtest.h>

#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data {
namespace {

Bytes three_records() {
  return file_of({"one", "", "three"});
}

// What is wrong with a text as the index of a file.
std::string problem_of(std::string_view text, const Bytes& file = three_records()) {
  const auto index = index_from_text(text, MemorySource(file));
  return std::holds_alternative<Index>(index) ? "none" : std::get<std::string>(index);
}

TEST(TextIndex, IsALineARecordWithItsOffsetAndSize) {
  EXPECT_EQ(text_index_of(std::get<Index>(build_index(MemorySource(three_records())))), "0 19\n19 16\n35 21\n");
}

TEST(TextIndex, EqualsTheIndexOfTheFile) {
  for (const Bytes& file : {Bytes(), three_records(), file_of(std::vector<std::string_view>(1000, "record"))}) {
    const MemorySource source(file);
    const Index index = std::get<Index>(build_index(source));
    EXPECT_EQ(std::get<Index>(index_from_text(text_index_of(index), source)), index);
  }
}

TEST(TextIndex, MayLackTheLastNewline) {
  EXPECT_EQ(problem_of("0 19\n19 16\n35 21"), "none");
}

TEST(TextIndex, IsRefusedIfALineIsNotTwoNumbers) {
  for (const std::string_view line : {"", "19", "19 ", " 19 16", "19  16", "19\t16", "-19 16", "19 +16", "19 16 ",
                                      "19 16\r", "19 16 0", "0x13 16", "99999999999999999999 16", "offset size"}) {
    EXPECT_EQ(problem_of("0 19\n" + std::string(line) + "\n35 21\n"),
              "line 2: expects a record's offset and size in bytes, such as `0 19`")
        << line;
  }
  EXPECT_EQ(problem_of("0 19\n19 16\n35 21\n\n"),
            "line 4: expects a record's offset and size in bytes, such as `0 19`");
}

TEST(TextIndex, IsRefusedIfTheRecordsAreElsewhere) {
  EXPECT_EQ(
      problem_of("0 19\n19 17\n36 20\n"),
      "line 2: says that record 1 is 17 bytes long at byte 19, and it is 16 bytes long at byte 19; make the index "
      "again");
  EXPECT_EQ(
      problem_of("0 19\n20 16\n35 21\n"),
      "line 2: says that record 1 is 16 bytes long at byte 20, and it is 16 bytes long at byte 19; make the index "
      "again");
  EXPECT_EQ(
      problem_of("0 18446744073709551615\n19 16\n35 21\n"),
      "line 1: says that record 0 is 18446744073709551615 bytes long at byte 0, and it is 19 bytes long at byte 0; "
      "make the index again");
}

TEST(TextIndex, IsRefusedIfItHasMoreOrFewerRecordsThanTheFile) {
  EXPECT_EQ(problem_of("0 19\n19 16\n35 21\n56 16\n"),
            "line 4: the file has no more than 3 records; make the index again");
  EXPECT_EQ(problem_of("0 19\n19 16\n"), "ends after 2 of 3 records; make the index again");
  EXPECT_EQ(problem_of(""), "ends after 0 of 3 records; make the index again");
}

TEST(TextIndex, IsRefusedForAFileThatCannotBeIndexed) {
  Bytes damaged = three_records();
  flip_bit(damaged, 19);
  EXPECT_EQ(problem_of("0 19\n19 16\n35 21\n", damaged),
            "x.tfrecord: record 1 at byte 19: the length does not match its checksum");
  EXPECT_EQ(problem_of("0 19\n", compressed(three_records(), Compression::gzip)),
            "x.tfrecord: it is compressed, and a text index is of files whose records lie in them as they are; leave "
            "out --text");
}

}  // namespace
}  // namespace carrack::data
