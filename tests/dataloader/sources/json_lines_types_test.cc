// What the members of JSON lines hold, and why that is said.
#include "dataloader/sources/json_lines_types.h"

#include <gtest/gtest.h>

#include "tests/dataloader/sources/rows.h"

namespace carrack::data {
namespace {

Lines types(std::string_view content, std::uint64_t most = 100, const std::vector<std::string>& missing = {}) {
  const MemorySource file(file_with(content), "x.jsonl");
  const auto found = types_of_json_lines(file, most, missing);
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&found)) return {text(*corrupt)};
  Lines lines;
  for (const JsonType& type : std::get<std::vector<JsonType>>(found)) {
    lines.push_back(text(type));
    if (type.conflict) lines.push_back(text(*type.conflict));
  }
  return lines;
}

TEST(JsonLinesTypes, AreTheNarrowestThatFitAllValues) {
  EXPECT_EQ(
      types("{\"i\": 1, \"f\": [1, 2], \"s\": \"a\", \"n\": null}\n\n{\"f\": [3, 2.5], \"b\": true, \"n\": []}\n"),
      (Lines{"member \"i\" is int64: row 0 holds 1", "member \"f\" is float32: row 1 holds 2.5",
             "member \"s\" is bytes: row 0 holds \"a\"", "member \"n\" is bytes: it holds nothing in the first rows",
             "member \"b\" is int64: row 1 holds true"}));
}

TEST(JsonLinesTypes, AreInferredFromTheFirstRows) {
  EXPECT_EQ(types("{\"x\": 1}\n{\"x\": 1.5}", 1), (Lines{"member \"x\" is int64: row 0 holds 1"}));
  EXPECT_EQ(types(""), Lines());
}

TEST(JsonLinesTypes, CountMissingValuesAsNull) {
  EXPECT_EQ(
      types("{\"x\": \"NA\", \"y\": \"NA\"}\n{\"x\": 1}\n", 100, {"NA"}),
      (Lines{"member \"x\" is int64: row 1 holds 1", "member \"y\" is bytes: it holds nothing in the first rows"}));
  EXPECT_EQ(types("{\"x\": -999.0}\n{\"x\": 1}\n", 100, {"-999"}), (Lines{"member \"x\" is int64: row 1 holds 1"}));
}

TEST(JsonLinesTypes, IgnoreBadRows) {
  EXPECT_EQ(types("no\n{\"x\": {}}\n{\"x\": 1\n{\"x\": 2.5}"), (Lines{"member \"x\" is float32: row 3 holds 2.5"}));
}

TEST(JsonLinesTypes, ReportUnsupportedValuesAndInferTheOtherMembers) {
  EXPECT_EQ(types("{\"o\": {\"a\\u0022\": [{}]}, \"x\": 1, \"m\": [[1], [\"\\n\"]], \"n\": [null]}\n{\"o\": null, "
                  "\"x\": 1.5}\n"),
            (Lines{"member \"o\" holds an object, which no feature can; it is left out",
                   "member \"x\" is float32: row 1 holds 1.5",
                   "member \"m\" holds an array within an array, which no feature can; it is left out",
                   "member \"n\" holds null within an array, which no feature can; it is left out"}));
}

// So that reading ends at the rows that hold the other, instead of leaving out what is there.
TEST(JsonLinesTypes, IgnoreValuesThatNoFeatureCanHold) {
  EXPECT_EQ(types("{\"x\": {}}\n{\"x\": 1}\n{\"x\": [2, {}]}\n"), (Lines{"member \"x\" is int64: row 1 holds 1"}));
}

TEST(JsonLinesTypes, ReportStringsAmongNumbers) {
  EXPECT_EQ(types("{\"x\": 1}\n{\"x\": \"a\", \"y\": 2}\n{\"x\": \"b\"}\n"),
            (Lines{"member \"x\" is int64: row 0 holds 1",
                   "x.jsonl: row 1 at byte 9: member \"x\" holds \"a\", and 1 in row 0; a feature holds strings or "
                   "numbers",
                   "member \"y\" is int64: row 1 holds 2"}));
}

TEST(JsonLinesTypes, ReportWholeNumbersBeyond64BitsUnlessFloats) {
  EXPECT_EQ(types("{\"x\": 1}\n{\"x\": -9223372036854775808}\n{\"x\": 9223372036854775808}\n"),
            (Lines{"member \"x\" is int64: row 0 holds 1",
                   "x.jsonl: row 2 at byte 37: member \"x\" holds 9223372036854775808, which no int64 holds"}));
  EXPECT_EQ(types("{\"x\": 9223372036854775808}\n{\"x\": 1.5}\n"), (Lines{"member \"x\" is float32: row 1 holds 1.5"}));
}

}  // namespace
}  // namespace carrack::data
