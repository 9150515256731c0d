// What the readers of text files of rows have in common. Rows are read in turn into the same columns that ExampleParser
// fills, many rows a call. Faults are returned as values, and reading continues behind them. Not thread-safe.
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

// Consecutive good rows, at least one; valid until the next call.
struct TextRows {
  std::uint64_t first = 0;  // the number of the first in its file
  std::size_t count = 0;
  std::span<const Column> columns;  // one for each feature
};

class RowReader {
 public:
  static constexpr std::size_t row_bytes_max = RowFile::row_bytes_max;

  virtual ~RowReader() = default;

  // Reads what comes before the first row; then place() is known. The first next() does it if it has not been called.
  std::optional<Corrupt> begin();
  // Returns up to `most` rows, at least one. After a Corrupt the next call continues behind the lost row. Lost rows are
  // counted too. Without features no values are read. Throws an Error if the storage fails.
  std::variant<TextRows, EndOfFile, Corrupt> next(std::size_t most);
  // The place of the next row.
  TextPlace place() const { return has_begun_ ? file_.place() : from_; }
  // Known after the first next().
  Seek resume() const { return file_.resume(); }

 protected:
  struct FilledRows {
    std::size_t count = 0;
    std::size_t bytes = 0;  // of these rows and of empty lines
  };

  // The file must outlive it. Begins at `from`, and reads `piece` bytes at a time.
  RowReader(const ByteSource& file, std::vector<Feature> features, TextPlace from, std::size_t piece);

  // Reads what comes before the first row.
  virtual std::optional<Corrupt> read_header() { return std::nullopt; }
  // Finds up to `most` rows, within the bytes that may be buffered, and fills columns_ up to one that is not a row,
  // which it marks as lost. nullopt if no complete row was found; then end_of_rows() is called.
  virtual std::optional<FilledRows> fill_rows(std::size_t most) = 0;
  virtual std::variant<TextRows, EndOfFile, Corrupt> end_of_rows() = 0;

  const std::vector<Feature> features_;
  RowFile file_;
  std::vector<Column> columns_;

 private:
  const TextPlace from_;
  bool has_begun_ = false;
};

}  // namespace carrack::data
