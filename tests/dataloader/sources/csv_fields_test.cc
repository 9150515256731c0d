// What is found of a CSV file's rows 64 bytes at a time is what a look at each byte finds.
#include "dataloader/sources/csv_fields.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "dataloader/records/wire.h"

namespace carrack::data {
namespace {

using Ends = std::vector<std::vector<std::size_t>>;  // of the fields of each row

// By the bytes' rules alone, up to the first row that is misquoted.
Ends ends_by_byte(std::string_view text) {
  Ends rows;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const MisquotedRow row = examine_row(wire::bytes_of(text.substr(begin)), ',');
    if (row.fault) break;
    std::vector<std::size_t>& ends = rows.emplace_back();
    bool is_inside = false;
    const std::size_t end = begin + row.size - (row.has_newline ? 1 : 0);
    for (std::size_t i = begin; i < end; ++i) {
      if (text[i] == '"') is_inside = !is_inside;
      if (text[i] == ',' && !is_inside) ends.push_back(i);
    }
    ends.push_back(end);
    if (!row.has_newline) break;
    begin += row.size;
  }
  return rows;
}

Ends ends_of(const CsvFields& fields) {
  Ends rows;
  for (const CsvFields::Row& row : fields.rows()) {
    std::vector<std::size_t>& ends = rows.emplace_back();
    for (std::size_t i = 0; i < row.fields; ++i) ends.push_back(fields.end_of(row.first + i));
  }
  return rows;
}

std::string drawn_text(std::mt19937& draw) {
  const std::string_view alphabet = draw() % 2 == 0 ? "ab,\n\"\r" : "abcdefgh,\"\"\"\n";
  std::string text(draw() % 300, ' ');
  for (char& c : text) c = alphabet[draw() % alphabet.size()];
  return text;
}

// Quotes where they may be.
std::string quoted_text(std::mt19937& draw) {
  std::string text;
  for (std::size_t i = draw() % 80; i > 0; --i) {
    const char* const fields[] = {"", "a", "bcd", "\"\"", "\"a,\nb\"", "\"\"\"\"", "\"x\"\"y\""};
    const char* const separators[] = {",", ",", "\n", "\r\n"};
    text += std::string(fields[draw() % std::size(fields)]) + separators[draw() % std::size(separators)];
  }
  return text;
}

TEST(CsvFields, EndWhereAParserByByteFindsThem) {
  std::mt19937 draw(1);
  std::size_t misquoted = 0, rows = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = i % 2 == 0 ? drawn_text(draw) : quoted_text(draw);
    CsvFields fields(',');
    fields.begin();
    fields.find(wire::bytes_of(text), 1000, CsvFields::Following::end);
    const Ends expected = ends_by_byte(text);
    ASSERT_EQ(ends_of(fields), expected) << text;
    misquoted += fields.misquoted();
    rows += expected.size();
  }
  EXPECT_GT(misquoted, 5000u);
  EXPECT_GT(rows, 100'000u);
}

TEST(CsvFields, DoNotDependOnHowTheBytesArrive) {
  std::mt19937 draw(2);
  for (int i = 0; i < 5000; ++i) {
    const std::string text = i % 2 == 0 ? drawn_text(draw) : quoted_text(draw);
    CsvFields fields(',');
    fields.begin();
    for (std::size_t size = 0; size < text.size(); size += 1 + draw() % 100)
      fields.find(wire::bytes_of(text.substr(0, size)), 1000, CsvFields::Following::more);
    fields.find(wire::bytes_of(text), 1000, CsvFields::Following::end);
    ASSERT_EQ(ends_of(fields), ends_by_byte(text)) << text;
  }
}

TEST(CsvFields, AreFoundUpToTheRequestedRows) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1,2\n";
  CsvFields fields(',');
  fields.begin();
  fields.find(wire::bytes_of(text), 10, CsvFields::Following::end);
  EXPECT_GE(fields.rows().size(), 10u);
  EXPECT_LE(fields.rows().size(), 10u + 64 / 4);
}

}  // namespace
}  // namespace carrack::data
