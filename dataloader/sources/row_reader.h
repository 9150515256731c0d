// RowReader: the base class of CsvReader and JsonLinesReader, through which the pipeline reads both. It reads the rows
// of a text file from first to last, many in each call, into one Column for each requested Feature (example.h). Bad
// rows are returned as Corrupt values, and reading continues after them. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "dataloader/records/corrupt.h"
#include "dataloader/records/example.h"
#include "dataloader/records/record_stream.h"
#include "dataloader/sources/row_file.h"

namespace carrack::data {

// Consecutive good rows, at least one; valid until the next call of next().
struct TextRows {
  std::uint64_t first = 0;  // the number of the first row in its file, from 0
  std::size_t count = 0;
  std::span<const Column> columns;  // one for each feature
};

class RowReader {
 public:
  static constexpr std::size_t row_bytes_max = RowFile::row_bytes_max;

  virtual ~RowReader() = default;

  // Optional: the first next() calls it if the caller has not. Reads what comes before the first row, such as the names
  // of columns, and moves to the place to begin at. Returns a fault in that part. Later calls do nothing. Throws Error
  // if the storage fails.
  std::optional<Corrupt> begin();
  // Returns the next rows, at least one and up to `most`; a `most` of 0 counts as 1. At the end each call returns
  // EndOfFile. A bad row is returned as Corrupt, after the rows before it, and the next call continues with the row
  // after it, or with the end if the rest cannot be read. A bad row has a number like any other row. If no features
  // were requested, no values are parsed. Throws Error if the storage fails.
  std::variant<TextRows, EndOfFile, Corrupt> next(std::size_t most);
  // The place where the next call of next() begins. Pass it as `from` to another reader, to resume there.
  TextPlace place() const { return has_begun_ ? file_.place() : from_; }
  // Returns how expensive it is to resume at a place() (byte_stream.h). Call it after the first next().
  Seek resume() const { return file_.resume(); }

 protected:
  struct FilledRows {
    std::size_t count = 0;
    std::size_t bytes = 0;  // number of bytes of these rows and of empty lines
  };

  // `file` must outlive the reader. Begins at `from`, and reads `piece` bytes at a time.
  RowReader(const ByteSource& file, std::vector<Feature> features, TextPlace from, std::size_t piece);

  // Reads what comes before the first row. Returns a fault in that part.
  virtual std::optional<Corrupt> read_header() { return std::nullopt; }
  // Finds up to `most` rows, in at most about row_bytes_max buffered bytes, and fills columns_ with them. Stops at a
  // bad row, which it marks as lost. Returns nullopt if no complete row was found; next() then returns end_of_rows().
  virtual std::optional<FilledRows> fill_rows(std::size_t most) = 0;
  // Returns EndOfFile, or the fault because of which no complete row was found.
  virtual std::variant<TextRows, EndOfFile, Corrupt> end_of_rows() = 0;

  const std::vector<Feature> features_;
  RowFile file_;
  std::vector<Column> columns_;

 private:
  const TextPlace from_;
  bool has_begun_ = false;
};

}  // namespace carrack::data
