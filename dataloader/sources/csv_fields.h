// Where the rows and fields of a CSV file end, docs/formats/csv.md: found for many rows at once, 64 bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace carrack::data {

class CsvFields {
 public:
  struct Row {
    std::uint32_t begin = 0;   // of its bytes
    std::uint32_t first = 0;   // the number of its first field
    std::uint32_t fields = 0;  // It ends where its last field does.
  };

  // What lies behind the bytes: more, or nothing, as they are all or as the others cannot be read.
  enum class Behind { more, end, damage };

  explicit CsvFields(char delimiter) : delimiter_(delimiter) {}

  // Forgets what it found: the next bytes are those of a row's beginning.
  void begin();
  // Goes on in the same bytes, of which there may be more by now, until so many rows have ended. The last row of a
  // file ends with it.
  void find(std::span<const std::byte> bytes, std::size_t rows, Behind behind);

  // All of their quotes stand where quotes may.
  const std::vector<Row>& rows() const { return rows_; }
  // Where a field ends: at its separator, or with the bytes.
  std::uint32_t end_of(std::size_t field) const { return ends_[field]; }
  // The row behind them has a quote where none may be, and no further one is found.
  bool misquoted() const { return misquoted_; }
  // Some field holds a quote, written twice.
  bool has_doubled() const { return has_doubled_; }

 private:
  struct Masks;
  Masks masks_of(const std::byte* block) const;
  void take(const std::byte* block, std::uint64_t valid);
  std::uint64_t separators_of(const Masks& masks, std::uint64_t valid);
  void append(std::uint64_t separators, std::uint64_t newlines);

  char delimiter_;
  std::size_t at_ = 0;  // up to where it has looked
  bool is_through_ = false;
  // Of the byte before that, each 1 or 0: it separates fields, it closes a quoted one, it is \r behind such a quote.
  std::uint64_t separates_ = 1, closes_ = 0, returns_ = 0;
  std::uint64_t inside_ = 0;  // all ones where it is within quotes
  bool misquoted_ = false;
  bool has_doubled_ = false;
  std::vector<std::uint32_t> ends_;
  std::size_t count_ = 0;  // of the ends that are used
  std::vector<Row> rows_;
  Row next_;
};

// One row, byte by byte, to say what is wrong with it.
struct MisquotedRow {
  enum class Fault { quote_within, text_behind, not_closed };
  std::size_t size = 0;  // with its newline, which it may lack
  bool has_newline = false;
  std::optional<Fault> fault;
  std::size_t at = 0;     // where the field at fault begins
  std::size_t field = 0;  // its number
};
MisquotedRow examine_row(std::span<const std::byte> bytes, char delimiter);

}  // namespace carrack::data
