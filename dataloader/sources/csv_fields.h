// Finds the ends of rows and fields of a CSV file, docs/formats/csv.md, for many rows at once, 64 bytes at a time. Not
// thread-safe.
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
    std::uint32_t first = 0;   // number of its first field
    std::uint32_t fields = 0;  // the row ends with the last one
  };

  // What follows the bytes: more bytes, the end of the file, or bytes that cannot be read.
  enum class Behind { more, end, damage };

  explicit CsvFields(char delimiter) : delimiter_(delimiter) {}

  // Resets: the next bytes are the beginning of a row.
  void begin();
  // Continues in the same bytes, which may have become more, until at least `rows` rows are found. With `more`, fewer
  // than 64 bytes at the end wait for the next call. The end of the file ends the last row.
  void find(std::span<const std::byte> bytes, std::size_t rows, Behind behind);

  // The rows found. Their quotes are well-formed.
  const std::vector<Row>& rows() const { return rows_; }
  // The end of a field, counted over all rows since begin(): its separator, or the end of the bytes.
  std::uint32_t end_of(std::size_t field) const { return ends_[field]; }
  // True if the next row has a misplaced quote; no further row is found.
  bool misquoted() const { return misquoted_; }
  // True if a field contains a doubled quote.
  bool has_doubled() const { return has_doubled_; }

 private:
  struct Masks;
  Masks masks_of(const std::byte* block) const;
  void take(const std::byte* block, std::uint64_t valid);
  std::uint64_t separators_of(const Masks& masks, std::uint64_t valid);
  void append(std::uint64_t separators, std::uint64_t newlines);

  char delimiter_;
  std::size_t at_ = 0;  // bytes scanned
  bool is_through_ = false;
  // About the last byte scanned, each 1 or 0: it separates fields, it closes quotes, it is \r behind such a quote.
  std::uint64_t separates_ = 1, closes_ = 0, returns_ = 0;
  std::uint64_t inside_ = 0;  // all ones if that byte is within quotes
  bool misquoted_ = false;
  bool has_doubled_ = false;
  std::vector<std::uint32_t> ends_;
  std::size_t count_ = 0;  // of ends_ in use
  std::vector<Row> rows_;
  Row next_;
};

// A row, examined byte by byte to find what is wrong with it.
struct MisquotedRow {
  enum class Fault { quote_within, text_behind, not_closed };
  std::size_t size = 0;  // including its newline, if it has one
  bool has_newline = false;
  std::optional<Fault> fault;
  std::size_t at = 0;     // where the bad field begins
  std::size_t field = 0;  // its number
};
MisquotedRow examine_row(std::span<const std::byte> bytes, char delimiter);

}  // namespace carrack::data
