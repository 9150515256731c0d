// What the columns of a CSV file hold, and why that is said.
#include "dataloader/sources/csv_types.h"

#include <gtest/gtest.h>

#include "tests/dataloader/sources/rows.h"

namespace carrack::data {
namespace {

Lines types(std::string_view content, std::uint64_t most = 100, CsvOptions options = {}) {
  const MemorySource file(file_with(content), "x.csv");
  const auto found = types_of_csv(file, std::move(options), most);
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&found)) return {text(*corrupt)};
  Lines lines;
  const CsvTypes& all = std::get<CsvTypes>(found);
  for (const CsvType& type : all.columns) lines.push_back(text(type, all.rows));
  return lines;
}

TEST(CsvTypes, AreTheNarrowestThatFitAllFields) {
  EXPECT_EQ(types("i,f,s,e,m\n1,1,1,,\n-2,2.5,nan,,7\n3,abc0,x,\"\",\n"),
            (Lines{"column \"i\" is int64: so are all values in the first 3 rows",
                   "column \"f\" is bytes because of 1 of 3 values, as \"abc0\" in line 4; --missing abc0 makes it "
                   "float32",
                   "column \"s\" is bytes because of 1 of 3 values, as \"x\" in line 4; --missing x makes it float32",
                   "column \"e\" is bytes: it is empty in the first 3 rows",
                   "column \"m\" is int64: so are all values in the first 3 rows"}));
  EXPECT_EQ(types("f\n1\n2.5\n3.5\n"), (Lines{"column \"f\" is float32: row 1 holds \"2.5\""}));
}

TEST(CsvTypes, AreBytesIfANumberIsTooLarge) {
  EXPECT_EQ(types("n\n1\n99999999999999999999\n"),
            (Lines{"column \"n\" is bytes: row 1 holds \"99999999999999999999\""}));
}

TEST(CsvTypes, AreInferredFromTheFirstRows) {
  EXPECT_EQ(types("n\n1\nx\n", 1), (Lines{"column \"n\" is int64: so is the value in the first row"}));
  EXPECT_EQ(types("n\n1\n2,3\n", 1), (Lines{"column \"n\" is int64: so is the value in the first row"}));
  EXPECT_EQ(types("n\n"), (Lines{"column \"n\" is bytes: there are no rows that tell"}));
  EXPECT_EQ(types("n,m\n1,\n"), (Lines{"column \"n\" is int64: so is the value in the first row",
                                       "column \"m\" is bytes: it is empty in the first row"}));
  EXPECT_EQ(types(""), Lines());
}

TEST(CsvTypes, CountMissingValuesAsEmpty) {
  EXPECT_EQ(types("n\nNA\n1\n", 100, {.missing = {"NA"}}),
            (Lines{"column \"n\" is int64: so are all values in the first 2 rows"}));
  EXPECT_EQ(types("n\n-999.0\n1\n", 100, {.missing = {"-999"}}),
            (Lines{"column \"n\" is int64: so are all values in the first 2 rows"}));
}

TEST(CsvTypes, IgnoreBadRows) {
  EXPECT_EQ(types("n\n1\nx,3\n2\n"), (Lines{"column \"n\" is int64: so are all values in the first 2 rows"}));
  EXPECT_EQ(types("n,n\n1,2\n"), (Lines{"x.csv: row 0 at byte 0: column \"n\" occurs twice"}));
}

}  // namespace
}  // namespace carrack::data
