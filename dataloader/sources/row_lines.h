// RowLines: converts the number of a row of a CSV or JSON lines file to the number of its line, for messages such as
// "in line 14". The two differ if the file has a line of column names, empty lines, or fields with line breaks.
// line_of() reads the file up to the row, so use it only for the few rows of messages. Throws Error if the storage
// fails. Not thread-safe.
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
  // Most callers use lines_of_csv() or lines_of_json_lines(). `reader` must be a new reader of this file from its
  // beginning, without features. A line that has only characters of `blanks` is not a row. `file` and the text of
  // `blanks` must outlive this object.
  RowLines(const ByteSource& file, std::unique_ptr<RowReader> reader, std::string_view blanks);

  // Returns the line in which row number `row`, from 0, begins. Lines are counted from 1. If the file has fewer rows,
  // returns the line at its end. `row` must not be less than in an earlier call.
  std::uint64_t line_of(std::uint64_t row);

 private:
  void pass_to(std::uint64_t offset);
  void pass_empty_lines();

  const std::unique_ptr<RowReader> reader_;
  const std::string_view blanks_;
  RowFile file_;
  std::uint64_t line_ = 1;  // the number of the line at file_.place()
  std::vector<std::size_t> end_;
};

// Return the RowLines of a CSV file with these options, which must not set `from`, and of a file of JSON lines. `file`
// must outlive the result.
std::unique_ptr<RowLines> lines_of_csv(const ByteSource& file, const CsvOptions& options);
std::unique_ptr<RowLines> lines_of_json_lines(const ByteSource& file);

}  // namespace carrack::data
