// JSON lines as they should be and as they should not: what is said, and what is lost.
#include <gtest/gtest.h>

#include "dataloader/error.h"
#include "dataloader/sources/json_lines_reader.h"
#include "tests/dataloader/sources/rows.h"

namespace carrack::data {
namespace {

const Feature f{.name = "f"}, i{.name = "i", .dtype = Dtype::int64}, s{.name = "s", .dtype = Dtype::bytes};

Lines read(std::string_view text, std::vector<Feature> features, JsonLinesOptions options = {},
           std::size_t most = 1000) {
  const MemorySource file(file_with(text), "x.jsonl");
  JsonLinesReader reader(file, std::move(features), options);
  return read_all(reader, most);
}

TEST(JsonLines, ReadColumnsByTheNamesOfMembers) {
  EXPECT_EQ(read("{\"s\": \"one\", \"other\": [{}, null], \"i\": -1, \"f\": 1.5e1}\n{\"f\":2,\"i\":0,\"s\":\"\"}\n",
                 {f, i, s}),
            (Lines{"0: 15.0 | -1 | 'one'", "1: 2.0 | 0 | ''"}));
}

TEST(JsonLines, TakeStringsForNoValue) {
  Feature list = f, with_default = s;
  list.shape = Shape::list;
  list.name = "l";
  with_default.default_values = LargeVector<std::string_view>{"none"};
  EXPECT_EQ(read("{\"l\": \"NA\", \"s\": \"N\\\"A\"}\n{\"l\": [1], \"s\": \"NA \"}\n{\"l\": [\"NA\"], \"s\": \"a\"}\n",
                 {list, with_default}, {.missing = {"NA", "N\"A"}}),
            (Lines{"0: [] | 'none'", "1: [1.0] | 'NA '",
                   "x.jsonl: row 2 at byte 55: feature \"l\" holds a string, and float32 was asked for; lost 24"}));
}

TEST(JsonLines, TakeNumbersForNoValue) {
  Feature list = f, with_default = i;
  list.shape = Shape::list;
  with_default.default_values = LargeVector<std::int64_t>{7};
  EXPECT_EQ(read("{\"f\": -999.0, \"i\": -999}\n{\"f\": [-999], \"i\": -9.99e2}\n{\"f\": -999.5, \"i\": 999}\n",
                 {list, with_default}, {.missing = {"-999"}}),
            (Lines{"0: [] | 7", "1: [-999.0] | 7", "2: [-999.5] | 999"}));
}

TEST(JsonLines, TakeTheDefaultForAnEmptyArray) {
  Feature with_default = i;
  EXPECT_EQ(read("{\"i\": []}\n{\"i\": 1}\n", {with_default}),
            (Lines{"x.jsonl: row 0 at byte 6: feature \"i\" has 0 values, and 1 are needed; lost 10", "1: 1"}));
  with_default.default_values = LargeVector<std::int64_t>{7};
  EXPECT_EQ(
      read("{\"i\": []}\n{\"i\": [ ]}\n{\"i\": [1, 2]}\n", {with_default}),
      (Lines{"0: 7", "1: 7", "x.jsonl: row 2 at byte 27: feature \"i\" has 2 values, and 1 are needed; lost 14"}));
}

TEST(JsonLines, MayLackANewlineAndHaveEmptyLines) {
  EXPECT_EQ(read("\xef\xbb\xbf\n{\"i\":1}\r\n \t\n{\"i\":2}", {i}), (Lines{"0: 1", "1: 2"}));
  EXPECT_EQ(read("", {i}), Lines());
  EXPECT_EQ(read("\n\n", {i}), Lines());
}

TEST(JsonLines, ReadStringsWithEscapes) {
  EXPECT_EQ(read(R"({"s": "\"\\\/\b\f\n\r\t"})"
                 "\n"
                 R"({"s": "\u0041\u00e9\u20AC\ud83d\ude00\u0000"})"
                 "\n"
                 R"({"\u0073": "x"})",
                 {s}),
            (Lines{"0: '\"\\/\b\f\n\r\t'", "1: 'A\u00e9\u20ac\U0001F600" + std::string(1, '\0') + "'", "2: 'x'"}));
}

TEST(JsonLines, ReadArrays) {
  const Feature pair{.name = "p", .count = 2};
  const Feature list{.name = "l", .dtype = Dtype::int64, .shape = Shape::list};
  const Feature words{.name = "w", .dtype = Dtype::bytes, .shape = Shape::list};
  EXPECT_EQ(read("{\"p\":[1,2],\"l\":[3,4,5],\"w\":[\"a\",\"b\"]}\n{\"p\":[ -1 , 2.5 "
                 "],\"l\":[],\"w\":\"c\"}\n{\"p\":[0,0],\"l\":7}\n",
                 {pair, list, words}),
            (Lines{"0: 1.0 2.0 | [3 4 5] | ['a' 'b']", "1: -1.0 2.5 | [] | ['c']", "2: 0.0 0.0 | [7] | []"}));
}

TEST(JsonLines, PadToTheLongestRowOfACall) {
  const MemorySource file(file_with("{\"l\":[1]}\n{\"l\":[2,3]}\n{\"l\":[4,5,6]}\n"), "x.jsonl");
  JsonLinesReader reader(
      file,
      {{.name = "l", .dtype = Dtype::int64, .shape = Shape::padded, .default_values = LargeVector<std::int64_t>{-1}}});
  const TextRows rows = std::get<TextRows>(reader.next(2));
  EXPECT_EQ(rows.columns[0], (Column{LargeVector<std::int64_t>{1, -1, 2, 3}, {{0, 1, 3}}, 2}));
  EXPECT_EQ(std::get<TextRows>(reader.next(2)).columns[0], (Column{LargeVector<std::int64_t>{4, 5, 6}, {{0, 3}}, 3}));
}

TEST(JsonLines, TreatNullAsAbsent) {
  const Feature with_default{
      .name = "i", .dtype = Dtype::int64, .count = 2, .default_values = LargeVector<std::int64_t>{7, 8}};
  EXPECT_EQ(read("{\"i\":null}\n{}\n{\"i\":[1,2]}\n", {with_default}), (Lines{"0: 7 8", "1: 7 8", "2: 1 2"}));
}

TEST(JsonLines, ReadBooleansAsNumbersAndPythonsNaN) {
  EXPECT_EQ(
      read("{\"i\":true,\"f\":false}\n{\"i\":false,\"f\":-Infinity}\n{\"i\":1,\"f\":Infinity}\n{\"i\":2,\"f\":NaN}\n",
           {i, f}),
      (Lines{"0: 1 | 0.0", "1: 0 | -inf", "2: 1 | inf", "3: 2 | nan"}));
}

std::string many_lines(std::size_t rows) {
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string number = std::to_string(row);
    text += "{\"s\":\"" + std::string(row * row % 97, 'x') + "\\n\",\"i\":" + number + ",\"l\":[" +
            (row % 3 == 0 ? "" : number) + "]}\n";
  }
  return text;
}

const std::vector<Feature> sil = {s, i, {.name = "l", .shape = Shape::list}};

TEST(JsonLines, DoNotDependOnTheSizesOfPiecesAndCalls) {
  const std::string text = many_lines(300);
  const Lines expected = read(text, sil);
  ASSERT_EQ(expected.size(), 300u);
  EXPECT_EQ(expected[2], "2: 'xxxx\n' | 2 | [2.0]");
  for (const std::size_t piece : {1u, 100u, 1'000'000u})
    for (const std::size_t most : {1u, 7u, 1000u})
      EXPECT_EQ(read(text, sil, {.piece = piece}, most), expected) << piece;
}

TEST(JsonLines, ResumeAtAnyRow) {
  const std::string text = many_lines(30);
  const Lines expected = read(text, sil);
  for (const bool compressed_too : {false, true}) {
    const MemorySource file(compressed_too ? compressed(file_with(text), Compression::gzip) : file_with(text),
                            "x.jsonl");
    JsonLinesReader whole(file, sil);
    for (std::size_t row = 0; row <= expected.size(); ++row) {
      JsonLinesReader rest(file, sil, {.from = whole.place(), .piece = 64});
      EXPECT_EQ(rest.place(), whole.place());
      EXPECT_EQ(read_all(rest), Lines(expected.begin() + static_cast<std::ptrdiff_t>(row), expected.end())) << row;
      EXPECT_EQ(rest.resume(), compressed_too ? Seek::by_reading_again : Seek::at_once);
      whole.next(1);
    }
  }
}

// Of a line between two good ones.
std::string fault_of(const std::string& line, const std::vector<Feature>& features) {
  std::vector<Feature> asked = features;
  for (Feature& feature : asked) feature.name = "x";
  const std::string good = features[0].dtype == Dtype::bytes
                               ? "{\"x\":\"\"}\n"
                               : "{\"x\":[" + std::string(features[0].count == 2 ? "1," : "") + "1]}\n";
  const Lines lines = read(good + line + "\n" + good, asked);
  if (lines.size() != 3 || lines[0][0] != '0' || lines[2][0] != '2') return "lost other rows too";
  const std::string lost = "; lost " + std::to_string(line.size() + 1), begin = "x.jsonl: row 1 at byte ";
  if (!lines[1].ends_with(lost) || !lines[1].starts_with(begin)) return lines[1];
  const std::size_t colon = lines[1].find(':', begin.size());
  const std::size_t at = std::stoul(lines[1].substr(begin.size(), colon - begin.size())) - good.size();
  return std::to_string(at) + lines[1].substr(colon, lines[1].size() - lost.size() - colon);
}

TEST(OddJsonLines, DescribeWhatDoesNotFit) {
  EXPECT_EQ(fault_of("{}", {i}), "0: there is no feature \"x\"");
  EXPECT_EQ(fault_of("{\"x\":null}", {i}), "0: there is no feature \"x\"");
  EXPECT_EQ(fault_of("{\"x\": \"a\"}", {i}), "6: feature \"x\" holds a string, and int64 was asked for");
  EXPECT_EQ(fault_of("{\"x\":1.0}", {i}), "5: feature \"x\" holds 1.0, and int64 was asked for");
  EXPECT_EQ(fault_of("{\"x\":NaN}", {i}), "5: feature \"x\" holds NaN, and int64 was asked for");
  EXPECT_EQ(fault_of("{\"x\":9223372036854775808}", {i}),
            "5: feature \"x\" holds 9223372036854775808, which no int64 holds");
  EXPECT_EQ(fault_of("{\"x\":1}", {s}), "5: feature \"x\" holds 1, and bytes was asked for");
  EXPECT_EQ(fault_of("{\"x\":true}", {s}), "5: feature \"x\" holds a truth value, and bytes was asked for");
  EXPECT_EQ(fault_of("{\"x\":{\"y\":1}}", {f}), "5: feature \"x\" holds an object, and float32 was asked for");
  EXPECT_EQ(fault_of("{\"x\":[[1]]}", {f}),
            "6: feature \"x\" holds an array within an array, and float32 was asked for");
  EXPECT_EQ(fault_of("{\"x\":[null]}", {f}), "6: feature \"x\" holds null, and float32 was asked for");
  EXPECT_EQ(fault_of("{\"x\":[1,2]}", {i}), "5: feature \"x\" has 2 values, and 1 are needed");
  EXPECT_EQ(fault_of("{\"x\":[1,2,3]}", {{.name = "x", .count = 2, .shape = Shape::list}}),
            "5: feature \"x\" has 3 values, which are no whole items of 2");
  EXPECT_EQ(fault_of("{\"x\":1,\"y\":0,\"x\":2}", {i}), "13: feature \"x\" occurs twice");
  EXPECT_EQ(fault_of("[1]", {i}), "0: it is not an object; a file of JSON lines has one in each line");
}

TEST(OddJsonLines, DescribeWhatIsNotJson) {
  EXPECT_EQ(fault_of("{\"x\":1", {i}), "6: it is not JSON: a comma or } was expected");
  EXPECT_EQ(fault_of("{\"x\":1}}", {i}), "7: it is not JSON: text follows the object");
  EXPECT_EQ(fault_of("{\"x\":1,}", {i}), "7: it is not JSON: a name in quotes was expected");
  EXPECT_EQ(fault_of("{x:1}", {i}), "1: it is not JSON: a name in quotes was expected");
  EXPECT_EQ(fault_of("{\"x\" 1}", {i}), "5: it is not JSON: a colon was expected");
  EXPECT_EQ(fault_of("{\"x\":}", {i}), "5: it is not JSON: no value begins here");
  EXPECT_EQ(fault_of("{\"x\":tru}", {i}), "5: it is not JSON: no value begins here");
  EXPECT_EQ(fault_of("{\"x\":+1}", {i}), "5: it is not JSON: no value begins here");
  EXPECT_EQ(fault_of("{\"x\":- 1}", {i}), "5: it is not JSON: no value begins here");
  EXPECT_EQ(fault_of("{\"x\":01}", {i}), "5: it is not JSON: no value begins here");
  EXPECT_EQ(fault_of("{\"x\":[1 2]}", {i}), "8: it is not JSON: a comma or ] was expected");
  EXPECT_EQ(fault_of("{\"x\":[1,]}", {i}), "8: it is not JSON: no value begins here");
  EXPECT_EQ(fault_of("{\"x\":\"a", {s}), "7: it is not JSON: a string does not end");
  EXPECT_EQ(fault_of("{\"x\":\"a\tb\"}", {s}), "7: it is not JSON: a string has a control character in it");
  EXPECT_EQ(fault_of("{\"x\":\"\\x\"}", {s}), "6: it is not JSON: a string has an escape that JSON does not have");
  EXPECT_EQ(fault_of("{\"x\":\"\\u12g4\"}", {s}), "6: it is not JSON: a string has an escape that JSON does not have");
  EXPECT_EQ(fault_of("{\"x\":\"\\ud83d!\"}", {s}), "12: it is not JSON: a string has half a surrogate pair in it");
  EXPECT_EQ(fault_of("{\"y\":[{\"z\":tru}],\"x\":1}", {i}), "11: it is not JSON: no value begins here");
  EXPECT_EQ(fault_of(std::string("{\"y\":1\0,\"x\":1}", 14), {i}), "6: it is not JSON: a comma or } was expected");
}

TEST(OddJsonLines, AreNestedUpToALimit) {
  const std::string good = "{\"y\":" + std::string(64, '[') + std::string(64, ']') + ",\"x\":1}";
  EXPECT_EQ(fault_of(good, {i}), "1: 1");
  EXPECT_EQ(fault_of("{\"y\":" + std::string(100'000, '[') + "}", {i}),
            "70: it is not JSON: values are nested deeper than 64");
}

TEST(OddJsonLines, EndTheFileWithALineThatIsTooLong) {
  EXPECT_EQ(read("{\"i\":1}\n{\"i\":" + std::string(RowReader::row_bytes_max, '1'), {i}),
            (Lines{"0: 1", "x.jsonl: row 1 at byte 8: the line is longer than 64 MiB; lost " +
                               std::to_string(RowReader::row_bytes_max + 5)}));
}

TEST(OddJsonLines, RefuseContradictoryRequests) {
  const auto words = [](Feature feature) -> std::string {
    try {
      read("", {std::move(feature)});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(words({.name = "x", .shape = Shape::list, .part = Part::feature_lists}),
            "feature list \"x\" is asked for as lists of lists, and a member of JSON lines holds one list");
  EXPECT_EQ(words({.name = "x", .raw = Raw::int8}),
            "feature \"x\" is asked for as raw numbers, and JSON lines have them as text");
}

// Looking at all that follows again behind each would take minutes.
TEST(OddJsonLines, TakeLinearTimeForBadLinesOnly) {
  constexpr std::size_t lines = 1'000'000;
  std::string text;
  for (std::size_t line = 0; line < lines; ++line) text += "a\n";
  const MemorySource file(file_with(text), "x.jsonl");
  JsonLinesReader reader(file, {{.name = "x", .dtype = Dtype::int64}});
  std::size_t bad = 0;
  while (!std::holds_alternative<EndOfFile>(reader.next(lines))) ++bad;
  EXPECT_EQ(bad, lines);
}

}  // namespace
}  // namespace carrack::data
