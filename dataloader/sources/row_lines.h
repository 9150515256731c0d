// Finds the lines of a text file in which its rows begin, for messages: a row and its line differ, as there are the
// names of columns, empty lines, and fields with line breaks. It reads the file up to the row, so ask for few rows.
// Throws what the storage throws. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dataloader/sources/csv_reader.h"
#include "dataloader/sources/row_reader.h"

namespace carrack::data {

class RowLines {
 public:
  // `reader` is one of this file from its beginning, without features; a line of only these blanks is no row for it.
  // The file must outlive this object.
  RowLines(const ByteSource& file, std::unique_ptr<RowReader> reader, std::string_view blanks);

  // The line in which this row begins, counted from 1; the last one if there are fewer rows. The rows of several calls
  // must not fall.
  std::uint64_t line_of(std::uint64_t row);

 private:
  void pass_to(std::uint64_t offset);
  void pass_empty_lines();

  const std::unique_ptr<RowReader> reader_;
  const std::string_view blanks_;
  RowFile file_;
  std::uint64_t line_ = 1;  // at the place of file_
  std::vector<std::size_t> end_;
};

// Of a CSV file with these options, and of JSON lines.
std::unique_ptr<RowLines> lines_of_csv(const ByteSource& file, const CsvOptions& options);
std::unique_ptr<RowLines> lines_of_json_lines(const ByteSource& file);

}  // namespace carrack::data
