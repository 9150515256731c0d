// Columns become Examples that parse to the same columns.
#include "dataloader/pipeline/rows/row_examples.h"

#include <gtest/gtest.h>

#include "dataloader/error.h"
#include "dataloader/pipeline/rows/row_functions.h"

namespace carrack::data {
namespace {

using Floats = LargeVector<float>;
using Ints = LargeVector<std::int64_t>;
using Strings = LargeVector<std::string_view>;

Rows rows_of(std::vector<NamedColumn> columns) {
  Rows rows;
  rows.count = 2;
  rows.columns = std::move(columns);
  return rows;
}

TEST(WriteExamples, GivesWhatParsingThemGivesAgain) {
  const std::vector<NamedColumn> columns{
      {"f", Floats{1, 2, 3, 4}, {2}}, {"s", Strings{"", "b"}}, {"l", Ints{7, -1}, {}, {{0, 2, 2}}}};
  Rows rows = rows_of(columns);
  write_examples()(rows);
  ASSERT_EQ(rows.columns.size(), 1u);
  parse_examples({{.name = "f", .count = 2},
                  {.name = "s", .dtype = Dtype::bytes},
                  {.name = "l", .dtype = Dtype::int64, .shape = Shape::list}})(rows);
  EXPECT_EQ(rows.columns, columns);
}

TEST(WriteExamples, PutsSmallNumbersIntoBytes) {
  Rows rows = rows_of({{"pixels", LargeVector<std::uint8_t>{'a', 'b', 'c', 'd'}, {2}}});
  write_examples()(rows);
  parse_examples({{.name = "pixels", .dtype = Dtype::bytes}})(rows);
  EXPECT_EQ(rows.columns, (std::vector<NamedColumn>{{"pixels", Strings{"ab", "cd"}}}));
}

TEST(WriteExamples, RefusesListsOfLists) {
  Rows rows = rows_of({{"l", Ints{1}, {}, {{0, 1, 1}, {0, 1}}}});
  try {
    write_examples()(rows);
    FAIL() << "wrote lists of lists";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "column \"l\" holds lists of lists, and no Example does");
  }
}

}  // namespace
}  // namespace carrack::data
