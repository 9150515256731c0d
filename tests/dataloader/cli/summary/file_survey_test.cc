#include "dataloader/cli/summary/file_survey.h"

#include <gtest/gtest.h>

#include "dataloader/cli/summary/file_format.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/memory_source.h"

namespace carrack::data::cli {
namespace {

using std::string_literals::operator""s;

struct Result {
  FileSurvey file;
  std::vector<std::string> records;
};

Result survey(const Bytes& file, SurveyLimit limit = {}) {
  Result result;
  result.file = survey_file(MemorySource(file), limit, [&](const Records& records) {
    for (const Record& record : records.records) result.records.emplace_back(wire::text_of(record.data));
  });
  return result;
}

Bytes bytes(const std::string& text) {
  return {wire::bytes_of(text).begin(), wire::bytes_of(text).end()};
}

const Bytes three = file_of({"one", "", "three"});

TEST(FileSurvey, ReadsAllRecords) {
  for (const Bytes& file : {three, compressed(three, Compression::gzip)}) {
    const auto [result, records] = survey(file);
    EXPECT_EQ(records, (std::vector<std::string>{"one", "", "three"}));
    EXPECT_EQ(result.records, 3U);
    EXPECT_EQ(result.bytes, file.size());
    EXPECT_EQ(result.frame_bytes, three.size());
    EXPECT_EQ(result.sizes, (Range{0, 5}));
    EXPECT_EQ(result.median_size, 3);
    EXPECT_TRUE(result.complete);
    EXPECT_TRUE(result.holds_records());
    EXPECT_EQ(result.damaged_spans, 0U);
  }
}

TEST(FileSurvey, StopsAtTheLimitOfRecords) {
  const auto [result, records] = survey(three, {.records = 2});
  EXPECT_EQ(records, (std::vector<std::string>{"one", ""}));
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.estimated_records(), 3U);  // 56 bytes of which 35 are two records
  EXPECT_TRUE(survey(three, {.records = 3}).file.complete);
  EXPECT_EQ(survey(compressed(three, Compression::zlib), {.records = 2}).file.estimated_records(), std::nullopt);
}

TEST(FileSurvey, StopsAtTheLimitOfBytesWithoutReportingDamage) {
  const auto [result, records] = survey(three, {.bytes = 50});
  EXPECT_EQ(records.size(), 2U);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.damaged_spans, 0U);
}

TEST(FileSurvey, ReadsMoreThanTheLimitOfBytesIfItMustFindARecord) {
  const std::string first(100, 'x'), second(900, 'y');
  const Bytes plain = file_of({first, second});
  for (const Bytes& file : {plain, compressed(plain, Compression::gzip)}) {
    EXPECT_EQ(survey(file, {.bytes = 16}).records.size(), 0U);
    const auto [result, records] = survey(file, {.bytes = 16, .at_least_one = true});
    ASSERT_FALSE(records.empty());
    EXPECT_EQ(records[0], first);
    EXPECT_EQ(result.records, records.size());
    EXPECT_EQ(result.damaged_spans, 0U);
  }
  const auto [result, records] = survey(plain, {.bytes = 16, .at_least_one = true});
  EXPECT_EQ(records.size(), 1U) << "and no more than needed";
  EXPECT_FALSE(result.complete);
}

TEST(FileSurvey, FindsThatAnUnknownPartIsLost) {
  const Bytes packed = compressed(three, Compression::gzip);
  EXPECT_FALSE(survey(packed).file.ends_in_damage);
  EXPECT_TRUE(survey(joined(joined(packed, bytes("x")), packed)).file.ends_in_damage);
}

TEST(FileSurvey, ReportsDamagedSpans) {
  Bytes file = three;
  flip_bit(file, 13);
  const auto [result, records] = survey(file);
  EXPECT_EQ(result.records, 2U);
  EXPECT_EQ(result.damaged_spans, 1U);
  EXPECT_EQ(result.lost_bytes, 19U);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(text(result.faults[0]), "x.tfrecord: record 0 at byte 0: the data does not match its checksum");
  EXPECT_TRUE(result.holds_records());
  const FileSurvey stopped = survey(file, {.stop_at_damage = true}).file;
  EXPECT_EQ(stopped.records, 0U);
  EXPECT_FALSE(stopped.complete);
}

TEST(FileSurvey, KeepsABoundedNumberOfFaults) {
  const std::vector<std::string_view> ones(FileSurvey::faults_max + 5, "one");
  Bytes file = file_of(ones);
  for (std::size_t record = 0; record < ones.size(); ++record) flip_bit(file, record * 19 + 13);
  const FileSurvey result = survey(file).file;
  EXPECT_EQ(result.faults.size(), FileSurvey::faults_max);
  EXPECT_EQ(result.damaged_spans, ones.size());
  EXPECT_EQ(result.lost_bytes, file.size());
}

TEST(FileSurvey, GuessesTheFormatOfAFileWithoutRecords) {
  EXPECT_EQ(survey({}).file.other_format, "");
  EXPECT_EQ(survey(bytes("id,x,y\n1,2,3\n")).file.other_format, "text");
  EXPECT_EQ(survey(bytes("a")).file.other_format, "text");
  EXPECT_EQ(survey(compressed(bytes("id,x,y\n1,2,3\n"), Compression::gzip)).file.other_format,
            "GZIP of something else");
  EXPECT_EQ(survey(compressed(bytes("id,x,y\n1,2,3\n"), Compression::zlib)).file.other_format,
            "ZLIB of something else");
  EXPECT_EQ(survey(bytes("version https://git-lfs.github.com/spec/v1\n")).file.kind, Kind::lfs_pointer);
  EXPECT_FALSE(survey(bytes("version https://git-lfs.github.com/spec/v1\n")).file.holds_records());
}

TEST(FileSurvey, DoesNotTakeADamagedBeginningForAnotherFormat) {
  Bytes file = three;
  flip_bit(file, 0);
  EXPECT_EQ(survey(file).file.other_format, "");
  const Bytes packed = compressed(three, Compression::gzip);
  EXPECT_EQ(survey(front(packed, packed.size() - 12)).file.other_format, "");
}

TEST(GuessFormat, KnowsCommonFormats) {
  const auto guess = [](const std::string& text) { return guess_format(wire::bytes_of(text)); };
  EXPECT_EQ(guess(" \n{\"x\": 1}"), "JSON");
  EXPECT_EQ(guess("x,y\n"), "text");
  EXPECT_EQ(guess("grüße"), "text");
  EXPECT_EQ(guess(std::string(511, 'a') + "ä"), "text") << "cut within a character";
  EXPECT_EQ(guess("PAR1\x15"), "a Parquet file");
  EXPECT_EQ(guess("\x93NUMPY\x01\0"s), "a NumPy array (npy)");
  EXPECT_EQ(guess("PK\x03\x04\x14"), "a ZIP archive, as npz files are");
  EXPECT_EQ(guess("CRRKIDX1\x01"), "an index of Carrack's");
  EXPECT_EQ(guess("GIF89a\x0a\x00\x14\x00"s), "a GIF image of 10x20");
  EXPECT_EQ(guess("\x01\x02\x03"), "of unknown kind");
}

}  // namespace
}  // namespace carrack::data::cli
