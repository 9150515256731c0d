// Files of rows in text, read from their beginning to their end into the columns that a parser of Examples gives, many
// rows a call. What is wrong comes back as a value that says where, and reading goes on behind it.
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

// The beginning of a row, where a reader of the same file can go on.
struct TextPlace {
  std::uint64_t offset = 0;  // in the file, or in what it inflates to
  std::uint64_t row = 0;     // counted from 0 in its file
  bool operator==(const TextPlace&) const = default;
};

// Good rows behind each other, at least one; valid until the next call.
struct TextRows {
  std::uint64_t first = 0;  // the number of the first in its file
  std::size_t count = 0;
  std::span<const Column> columns;  // one for each feature
};

class RowReader {
 public:
  // A longer row is a fault that ends the file: nothing holds so much but what is broken.
  static constexpr std::size_t longest = std::size_t{64} << 20;

  virtual ~RowReader() = default;

  // Reads what comes before the first row, as the first next() does otherwise; then its place is known.
  virtual std::optional<Corrupt> begin() = 0;
  // This many rows, and one at least; fewer where the file, what is good of it or what may be held of it ends, lines
  // are empty, or one was lost. After a Corrupt the next call goes on behind what is lost. Rows are counted as they
  // come, a lost one too.
  virtual std::variant<TextRows, EndOfFile, Corrupt> next(std::size_t most) = 0;
  // Of the row that the next call begins with.
  virtual TextPlace place() const = 0;
  // Known once something was read.
  virtual Seek resume() const = 0;
};

}  // namespace carrack::data
