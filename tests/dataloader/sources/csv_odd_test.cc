// CSV as it should not be: what is said, what is lost, and that the rows behind it are read.
#include <gtest/gtest.h>

#include "dataloader/sources/csv_reader.h"
#include "tests/dataloader/sources/rows.h"

namespace carrack::data {
namespace {

const std::vector<Feature> ns = {{"n", Dtype::int64}, {"s", Dtype::bytes}};

Lines read(Bytes bytes, std::vector<Feature> features = ns, CsvOptions options = {}) {
  const MemorySource file(std::move(bytes), "x.csv");
  CsvReader reader(file, std::move(features), std::move(options));
  return read_all(reader);
}

Lines read(std::string_view text, std::vector<Feature> features = ns, CsvOptions options = {}) {
  return read(file_with(text), std::move(features), std::move(options));
}

// Of a row between two good ones.
std::string fault_of(const std::string& row, std::vector<Feature> features = ns) {
  const Lines lines = read("n,s\n1,a\n" + row + "\n3,c\n", std::move(features));
  if (lines.size() != 3 || lines[0][0] != '0' || lines[2][0] != '2') return "lost other rows too";
  const std::string lost = "; lost " + std::to_string(row.size() + 1);
  if (!lines[1].ends_with(lost)) return lines[1];
  return lines[1].substr(0, lines[1].size() - lost.size());
}

TEST(OddCsv, LosesOneRowAndNamesIt) {
  EXPECT_EQ(read("n,s\n1,a\nx,b\n3,c\n"),
            (Lines{"0: 1 | 'a'", "x.csv: row 1 at byte 8: column \"n\" holds \"x\", and int64 was asked for; lost 4",
                   "2: 3 | 'c'"}));
}

TEST(OddCsv, NamesTextThatIsNotANumber) {
  EXPECT_EQ(fault_of("1.0,b"), "x.csv: row 1 at byte 8: column \"n\" holds \"1.0\", and int64 was asked for");
  EXPECT_EQ(fault_of("9223372036854775808,b"),
            "x.csv: row 1 at byte 8: column \"n\" holds \"9223372036854775808\", which no int64 holds");
  EXPECT_EQ(fault_of("\"x\x01\x7f\",b"),
            "x.csv: row 1 at byte 8: column \"n\" holds \"x\\x01\\x7f\", and int64 was asked for");
  EXPECT_EQ(fault_of(std::string(50, 'y') + ",b"),
            "x.csv: row 1 at byte 8: column \"n\" holds \"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...\", and int64 was "
            "asked for");
}

TEST(OddCsv, NamesEmptyFieldsWithoutDefault) {
  EXPECT_EQ(fault_of(",b"), "x.csv: row 1 at byte 8: column \"n\" is empty, and there is no default");
  EXPECT_EQ(fault_of("2,"), "x.csv: row 1 at byte 10: column \"s\" is empty, and there is no default");
  EXPECT_EQ(fault_of("\"\",b"), "x.csv: row 1 at byte 8: column \"n\" is empty, and there is no default");
}

TEST(OddCsv, CountsTheFields) {
  EXPECT_EQ(fault_of("2"), "x.csv: row 1 at byte 8: it has 1 field, and the file 2 columns");
  EXPECT_EQ(fault_of("2,b,"), "x.csv: row 1 at byte 8: it has 3 fields, and the file 2 columns");
  EXPECT_EQ(fault_of(" "), "x.csv: row 1 at byte 8: it has 1 field, and the file 2 columns");
}

TEST(OddCsv, LosesARowWhoseQuotesAreMisplaced) {
  const std::string within =
      ": a field that does not begin with a quote has one in it; quote the field, and write the quote twice";
  const std::string behind = ": text follows the quote that ends the field; a quote within a field is written twice";
  EXPECT_EQ(fault_of("2,5\" pipe"), "x.csv: row 1 at byte 10: column \"s\"" + within);
  EXPECT_EQ(fault_of("2, \"b\""), "x.csv: row 1 at byte 10: column \"s\"" + within);
  EXPECT_EQ(fault_of("\"2\"x,b"), "x.csv: row 1 at byte 8: column \"n\"" + behind);
  EXPECT_EQ(fault_of("2,\"b\" "), "x.csv: row 1 at byte 10: column \"s\"" + behind);
  EXPECT_EQ(fault_of("2,\"b\"\rx"), "x.csv: row 1 at byte 10: column \"s\"" + behind);
  EXPECT_EQ(fault_of("2,\"b\",x\"\""), "x.csv: row 1 at byte 14: column 2" + within);
}

TEST(OddCsv, ContinuesBehindManyBadRows) {
  std::string text = "n,s\n";
  for (int i = 0; i < 500; ++i) text += i % 5 == 4 ? "1,5\" pipe\n" : "1,\"a\"\n";
  const Lines lines = read(text);
  ASSERT_EQ(lines.size(), 500u);
  for (std::size_t i = 0; i < 500; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(lines[i].substr(0, number.size() + 5),
              i % 5 == 4 ? lines[i].substr(0, number.size() + 5) : number + ": 1 |");
    EXPECT_EQ(lines[i].find("; lost 10") != std::string::npos, i % 5 == 4) << lines[i];
  }
}

TEST(OddCsv, LosesWhatAnUnclosedQuoteIncludes) {
  EXPECT_EQ(
      read("n,s\n1,a\n2,\"b\n3,c\n"),
      (Lines{"0: 1 | 'a'",
             "x.csv: row 1 at byte 10: column \"s\": the file ends before the field's quotes are closed; lost 9"}));
  EXPECT_EQ(read("n,s\n2,\"b\n3,\"c\"\n4,d\n"),
            (Lines{"x.csv: row 0 at byte 6: column \"s\": text follows the quote that ends the field; a quote within "
                   "a field is written twice; lost 11",
                   "1: 4 | 'd'"}));
}

TEST(OddCsv, EndsTheFileWithARowThatIsTooLong) {
  const std::string text = "n,s\n1,a\n2,\"" + std::string(RowReader::row_bytes_max + 10, 'b');
  EXPECT_EQ(read(text + std::string(70'000'000, 'c')),
            (Lines{"0: 1 | 'a'",
                   "x.csv: row 1 at byte 8: the row is longer than 64 MiB, as where quotes are not closed; lost " +
                       std::to_string(text.size() + 70'000'000 - 8)}));
}

TEST(OddCsv, ReportsMissingColumns) {
  EXPECT_EQ(read("n,label\n1,a\n"),
            (Lines{"x.csv: row 0 at byte 8: there is no column \"s\"; there are \"n\" and \"label\"; lost 4"}));
  EXPECT_EQ(read("a,b,c,d,e,f,g,h,i,j,k,l\n"), (Lines{"x.csv: row 0 at byte 24: there is no column \"n\"; there are "
                                                      "\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", "
                                                      "\"i\", \"j\" and 2 more; lost 0"}));
  EXPECT_EQ(read("n,s,n\n1,a,2\n"), (Lines{"x.csv: row 0 at byte 6: column \"n\" occurs twice; lost 6"}));
  EXPECT_EQ(read("n,s\"\n1,a\n"), (Lines{"x.csv: row 0 at byte 2: column 1: a field that does not begin with a quote "
                                         "has one in it; quote the field, and write the quote twice; lost 5"}));
}

TEST(OddCsv, ReportsAnotherKindOfFile) {
  EXPECT_EQ(read(std::string_view("\xff\xfen\0,\0s\0", 8)),
            (Lines{"x.csv: row 0 at byte 0: it is UTF-16; write it as UTF-8; lost 8"}));
  EXPECT_EQ(
      read("version https://git-lfs.github.com/spec/v1\n"),
      (Lines{"x.csv: row 0 at byte 0: it is a pointer of Git LFS, not the file itself; `git lfs pull` fetches that; "
             "lost 43"}));
}

TEST(OddCsv, ReturnsTheRowsBeforeDamagedCompression) {
  const Bytes file = compressed(file_with("n,s\n1,a\n2,b\n"), Compression::gzip);
  EXPECT_EQ(read(front(file, file.size() - 3)),
            (Lines{"0: 1 | 'a'", "1: 2 | 'b'",
                   "x.csv: row 2 at byte 12 of the inflated data: the file ends within its compressed data; lost 0"}));
  Bytes damaged = file;
  flip_bit(damaged, file.size() - 6);
  EXPECT_EQ(read(damaged),
            (Lines{"0: 1 | 'a'", "1: 2 | 'b'",
                   "x.csv: row 2 at byte 12 of the inflated data: the compressed data is damaged: incorrect "
                   "data check; lost 0"}));
}

TEST(OddCsv, ReportsAFileThatChangesWhileItIsRead) {
  MemorySource file(file_with("n,s\n1,a\n2,b\n" + std::string(1000, 'x')), "x.csv");
  CsvReader reader(file, ns, {.piece = 16});
  EXPECT_EQ(std::get<TextRows>(reader.next(2)).count, 2u);
  file.bytes.resize(50);
  EXPECT_EQ(read_all(reader), (Lines{"x.csv: row 2 at byte 12: the file has changed since it was opened; lost 1000"}));
}

TEST(OddCsv, ReportsAFileThatEndsBeforeThePlace) {
  EXPECT_EQ(read("n,s\n1,a\n", ns, {.from = {100, 9}}),
            (Lines{"x.csv: row 0 at byte 8: the file ends before byte 100, where it was to be gone on with; lost 0"}));
}

// Looking at all that follows again behind each would take minutes.
TEST(OddCsv, TakesLinearTimeForBadRowsOnly) {
  constexpr std::size_t rows = 1'000'000;
  std::string text = "x\n";
  for (std::size_t row = 0; row < rows; ++row) text += "a\n";
  const MemorySource file(file_with(text), "x.csv");
  CsvReader reader(file, {{.name = "x", .dtype = Dtype::int64}});
  std::size_t bad = 0;
  while (!std::holds_alternative<EndOfFile>(reader.next(rows))) ++bad;
  EXPECT_EQ(bad, rows);
}

}  // namespace
}  // namespace carrack::data
