// CSV as it should be: quotes, newlines, names, defaults, pieces of any size, and going on at any row.
#include <gtest/gtest.h>

#include "dataloader/error.h"
#include "dataloader/sources/csv_reader.h"
#include "tests/dataloader/sources/rows.h"

namespace carrack::data {
namespace {

const std::vector<Feature> xsn = {{"x", Dtype::float32}, {"s", Dtype::bytes}, {"n", Dtype::int64}};

Lines read(std::string_view text, std::vector<Feature> features, CsvOptions options = {}, std::size_t most = 1000) {
  const MemorySource file(file_with(text), "x.csv");
  CsvReader reader(file, std::move(features), std::move(options));
  return read_all(reader, most);
}

TEST(Csv, ReadsColumnsByName) {
  EXPECT_EQ(read("n,other,s,x\n1,-,one,1.5\n-2,-,two,nan\n", xsn),
            (Lines{"0: 1.5 | 'one' | 1", "1: nan | 'two' | -2"}));
}

TEST(Csv, UsesGivenNames) {
  EXPECT_EQ(read("1,one\n2,two\n", {{"s", Dtype::bytes}}, {.columns = {{"n", "s"}}}), (Lines{"0: 'one'", "1: 'two'"}));
}

TEST(Csv, MayEndWithoutANewline) {
  EXPECT_EQ(read("n\n1\n2", {{"n", Dtype::int64}}), (Lines{"0: 1", "1: 2"}));
  EXPECT_EQ(read("s\n\"a\"", {{"s", Dtype::bytes}}), (Lines{"0: 'a'"}));
  EXPECT_EQ(read("s\r\n\"a\"\r", {{"s", Dtype::bytes}}), (Lines{"0: 'a'"}));
}

TEST(Csv, AcceptsBothKindsOfNewlines) {
  EXPECT_EQ(read("s,n\r\na,1\r\n\"b\",2\r\nc\rd,3\n", {{"s", Dtype::bytes}, {"n", Dtype::int64}}),
            (Lines{"0: 'a' | 1", "1: 'b' | 2", "2: 'c\rd' | 3"}));
}

TEST(Csv, AcceptsAnyBytesWithinQuotes) {
  EXPECT_EQ(read("s,\"a \"\"name\"\"\"\n\"one, two\",\"x\r\ny\"\n\"\"\"\",\"\"\n",
                 {{"s", Dtype::bytes}, {"a \"name\"", Dtype::bytes}}),
            (Lines{"0: 'one, two' | 'x\r\ny'", "1: '\"' | ''"}));
}

TEST(Csv, ReadsNumbersInQuotesAndWithSpaces) {
  EXPECT_EQ(read("x,s,n\n\"1.5\",\" a \",\" 7 \"\n 2 , b , +3 \n", xsn),
            (Lines{"0: 1.5 | ' a ' | 7", "1: 2.0 | ' b ' | 3"}));
}

TEST(Csv, SkipsEmptyLinesAndTheMarkOfUtf8) {
  EXPECT_EQ(read("\xef\xbb\xbf\n\nn\n\n1\n\r\n2\n\n", {{"n", Dtype::int64}}), (Lines{"0: 1", "1: 2"}));
}

TEST(Csv, HasNoRowsIfEmptyOrWithNamesOnly) {
  EXPECT_EQ(read("", xsn), Lines());
  EXPECT_EQ(read("\n\n", xsn), Lines());
  EXPECT_EQ(read("x,s,n\n", xsn), Lines());
  EXPECT_EQ(read("x,s,n", xsn), Lines());
}

const std::vector<Feature> with_defaults = {
    {.name = "x", .default_values = LargeVector<float>{-1}},
    {.name = "s", .dtype = Dtype::bytes, .default_values = LargeVector<std::string_view>{"none"}},
    {.name = "n", .dtype = Dtype::int64, .default_values = LargeVector<std::int64_t>{9}}};

TEST(Csv, UsesDefaultsForMissingValues) {
  EXPECT_EQ(read("x,s,n\n,,\n\"\",\"\",\"\"\n1,a,2\n", with_defaults),
            (Lines{"0: -1.0 | 'none' | 9", "1: -1.0 | '' | 9", "2: 1.0 | 'a' | 2"}));
  EXPECT_EQ(read("x,s,n\nNA,\"NA\",-\n", with_defaults, {.missing = {"NA", "-"}}), (Lines{"0: -1.0 | 'none' | 9"}));
  EXPECT_EQ(read("n\n-99\n98\n", {with_defaults[2]}, {.missing = {"-99"}}), (Lines{"0: 9", "1: 98"}));
}

TEST(Csv, SeparatesByAnotherCharacter) {
  EXPECT_EQ(read("s\tn\na,b\t1\n\"\t\"\t2\n", {{"s", Dtype::bytes}, {"n", Dtype::int64}}, {.delimiter = '\t'}),
            (Lines{"0: 'a,b' | 1", "1: '\t' | 2"}));
}

// Rows of many lengths, with every kind of field.
std::string many_rows(std::size_t rows) {
  std::string text = "x,s,n\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string s(i * i % 97, static_cast<char>('a' + i % 26));
    text +=
        std::to_string(i) + ".25," + (i % 3 == 0 ? "\"" + s + "\"\"\n,\"" : s + "-") + "," + std::to_string(i) + "\n";
  }
  return text;
}

TEST(Csv, DoesNotDependOnTheSizesOfPiecesAndCalls) {
  const std::string text = many_rows(300);
  const Lines expected = read(text, xsn);
  ASSERT_EQ(expected.size(), 300u);
  EXPECT_EQ(expected[3], "3: 3.25 | 'ddddddddd\"\n,' | 3");
  for (const std::size_t piece : {1u, 16u, 100u, 1000u, 1'000'000u})
    for (const std::size_t most : {1u, 7u, 1000u})
      EXPECT_EQ(read(text, xsn, {.piece = piece}, most), expected) << piece;
}

TEST(Csv, ReturnsAsManyRowsAsRequested) {
  const MemorySource file(file_with(many_rows(25)), "x.csv");
  CsvReader reader(file, xsn, {.piece = 64});
  std::vector<std::size_t> counts;
  for (auto next = reader.next(10); std::holds_alternative<TextRows>(next); next = reader.next(10))
    counts.push_back(std::get<TextRows>(next).count);
  EXPECT_EQ(counts, (std::vector<std::size_t>{10, 10, 5}));
  CsvReader again(file, xsn);
  EXPECT_EQ(std::get<TextRows>(again.next(0)).count, 1u);
}

TEST(Csv, TakesAMissingNumberInAnySpelling) {
  const std::string text = "x,s,n\n-999.0,-999,-999\n-9.99e2,-999.0, -999.00\n\"-999\",-999.5,+999\n";
  EXPECT_EQ(read(text, with_defaults, {.missing = {"-999"}}),
            (Lines{"0: -1.0 | 'none' | 9", "1: -1.0 | '-999.0' | 9", "2: -1.0 | '-999.5' | 999"}));
  EXPECT_EQ(read("n\n9007199254740993\n9007199254740992\n",
                 {{.name = "n", .dtype = Dtype::int64, .shape = Shape::list}}, {.missing = {"9007199254740993"}}),
            (Lines{"0: []", "1: [9007199254740992]"}))
      << "which no double tells apart";
  const std::vector<Feature> x{{.name = "x", .shape = Shape::list}};
  EXPECT_EQ(read("x\nnan\nNaN\n", x, {.missing = {"nan"}}), (Lines{"0: []", "1: [nan]"}));
}

TEST(Csv, TakesAMissingTextWithQuotes) {
  const std::string text = "x,s,n\n\"\"\"\"\"\",\"\"\"\"\"\",\"\"\"\"\"\"\n1,\"no \"\"s\"\"\",2\n3,\"a\"\"\",4\n";
  EXPECT_EQ(read(text, with_defaults, {.missing = {"\"\"", "no \"s\""}}),
            (Lines{"0: -1.0 | 'none' | 9", "1: 1.0 | 'none' | 2", "2: 3.0 | 'a\"' | 4"}));
  EXPECT_EQ(read("s\n\"a \"\"\"\"\"\n\"NA\"\n", {with_defaults[1]}, {.missing = {"a \"\"\"\"", "\"NA\""}}),
            (Lines{"0: 'a \"\"'", "1: 'NA'"}))
      << "as a field is written, it is another text";
}

TEST(Csv, ReadsOptionalFieldsAsLists) {
  const std::vector<Feature> lists{{.name = "x", .shape = Shape::list},
                                   {.name = "s", .dtype = Dtype::bytes, .shape = Shape::list}};
  for (const std::size_t most : {1, 2, 100})
    EXPECT_EQ(read("x,s\n1,a\n,\n\"\",\"\"\"b\"\n4,\"\"\nNA,NA\n", lists, {.missing = {"NA"}}, most),
              (Lines{"0: [1.0] | ['a']", "1: [] | []", "2: [] | ['\"b']", "3: [4.0] | ['']", "4: [] | []"}));
}

TEST(Csv, ResumesAtAnyRow) {
  const std::string text = many_rows(40);
  const Lines expected = read(text, xsn);
  for (const bool compressed_too : {false, true}) {
    const MemorySource file(compressed_too ? compressed(file_with(text), Compression::gzip) : file_with(text), "x.csv");
    CsvReader whole(file, xsn);
    for (std::size_t row = 0; row <= expected.size(); ++row) {
      const TextPlace place = whole.place();
      EXPECT_EQ(place.row, row);
      CsvReader rest(file, xsn, {.from = place, .piece = 64});
      EXPECT_EQ(rest.place(), place);
      EXPECT_EQ(read_all(rest), Lines(expected.begin() + static_cast<std::ptrdiff_t>(row), expected.end())) << row;
      EXPECT_EQ(rest.resume(), compressed_too ? Seek::by_reading_again : Seek::at_once);
      whole.next(1);
    }
  }
}

TEST(Csv, IsInflated) {
  const std::string text = many_rows(2000);
  const Bytes plain = file_with(text);
  const MemorySource file(joined(compressed(std::span(plain).first(500), Compression::gzip),
                                 compressed(std::span(plain).subspan(500), Compression::gzip)),
                          "x.csv");
  CsvReader reader(file, xsn);
  EXPECT_EQ(read_all(reader), read(text, xsn));
}

TEST(Csv, MayBeginLikeOtherKindsOfFiles) {
  EXPECT_EQ(read("x\x01,s\nab,cd\nef,gh\n", {{"s", Dtype::bytes}}), (Lines{"0: 'cd'", "1: 'gh'"}));
}

TEST(Csv, RefusesContradictoryRequests) {
  const auto words = [](Feature feature, CsvOptions options = {}) -> std::string {
    try {
      read("", {std::move(feature)}, std::move(options));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string expected = "feature \"x\" is asked for as more than one value, and a field of CSV holds one";
  EXPECT_EQ(words({.name = "x", .count = 2}), expected);
  EXPECT_EQ(words({.name = "x", .shape = Shape::padded}), expected);
  EXPECT_EQ(words({.name = "x", .dtype = Dtype::int64, .raw = Raw::int8}), expected);
  EXPECT_EQ(words({.name = "x", .default_values = LargeVector<std::int64_t>{1}}),
            "feature \"x\" has a default of another kind than float32");
  EXPECT_EQ(words({.name = "x"}, {.delimiter = '"'}), "a quote or a newline cannot separate the fields of CSV");
}

}  // namespace
}  // namespace carrack::data
