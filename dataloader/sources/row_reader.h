// The interface of text files of rows, read in turn into the same columns that ExampleParser fills, many rows a call.
// Faults are returned as values, and reading continues behind them. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "dataloader/records/corrupt.h"
#include "dataloader/records/example.h"
#include "dataloader/records/record_reader.h"

namespace carrack::data {

// The beginning of a row, at which another reader of the same file can continue.
struct TextPlace {
  std::uint64_t offset = 0;  // in the file, or in what it inflates to
  std::uint64_t row = 0;     // counted from 0 in its file
  bool operator==(const TextPlace&) const = default;
};

// Consecutive good rows, at least one; valid until the next call.
struct TextRows {
  std::uint64_t first = 0;  // the number of the first in its file
  std::size_t count = 0;
  std::span<const Column> columns;  // one for each feature
};

class RowReader {
 public:
  // A longer row is a fault that ends the file.
  static constexpr std::size_t row_bytes_max = std::size_t{64} << 20;

  virtual ~RowReader() = default;

  // Reads what comes before the first row; then place() is known. The first next() does it if it has not been called.
  virtual std::optional<Corrupt> begin() = 0;
  // Returns up to `most` rows, at least one. After a Corrupt the next call continues behind the lost row. Lost rows are
  // counted too. Throws an Error if the storage fails.
  virtual std::variant<TextRows, EndOfFile, Corrupt> next(std::size_t most) = 0;
  // The place of the next row.
  virtual TextPlace place() const = 0;
  // Known after the first next().
  virtual Seek resume() const = 0;
};

}  // namespace carrack::data
