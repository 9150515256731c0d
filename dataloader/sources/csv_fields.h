// Finds the ends of rows and fields of a CSV file, docs/formats/csv.md, for many rows in one call, 64 bytes at a time.
// All offsets count from the beginning of the bytes that are passed. Not thread-safe.
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
    std::uint32_t begin = 0;   // the offset of its first byte
    std::uint32_t first = 0;   // the number of its first field, for end_of()
    std::uint32_t fields = 0;  // the number of its fields; the row ends with the last field
  };

  // What follows the bytes that are passed: more bytes, the end of the file, or bytes that cannot be read.
  enum class Following { more, end, damage };

  explicit CsvFields(char delimiter) : delimiter_(delimiter) {}

  // Forgets everything. The bytes that are passed next must begin with a row.
  void begin();
  // Continues until at least `rows` rows are found, a quote is misplaced, or the bytes end. Each call since begin()
  // must pass the same bytes, less than 4 GiB; more bytes may have been added at their end. With Following::more, fewer
  // than 64 bytes at the end are left for the next call. With Following::end, the end of the bytes ends the last row.
  void find(std::span<const std::byte> bytes, std::size_t rows, Following following);

  // The rows found since begin(). Their quotes are well-formed.
  const std::vector<Row>& rows() const { return rows_; }
  // Returns the offset of the end of a field, which is its separator or the end of the bytes. Fields are counted over
  // all rows since begin().
  std::uint32_t end_of(std::size_t field) const { return ends_[field]; }
  // True if the row after the last of rows() has a misplaced quote; find() does not continue then.
  bool misquoted() const { return misquoted_; }
  // True if a field that was scanned since begin() contains a doubled quote.
  bool has_doubled() const { return has_doubled_; }

 private:
  struct Masks;
  Masks masks_of(const std::byte* block) const;
  void take(const std::byte* block, std::uint64_t valid);
  std::uint64_t separators_of(const Masks& masks, std::uint64_t valid);
  void append(std::uint64_t separators, std::uint64_t newlines);

  char delimiter_;
  std::size_t at_ = 0;       // the number of bytes that were scanned
  bool is_through_ = false;  // the end of the bytes has been scanned
  // Each is 1 or 0. separates_: the last byte that was scanned separates fields. closes_: it closes quotes. returns_:
  // it is \r after a quote that closes.
  std::uint64_t separates_ = 1, closes_ = 0, returns_ = 0;
  std::uint64_t inside_ = 0;  // all ones if the last byte that was scanned is within quotes, else 0
  bool misquoted_ = false;
  bool has_doubled_ = false;
  std::vector<std::uint32_t> ends_;
  std::size_t count_ = 0;  // the number of elements of ends_ in use
  std::vector<Row> rows_;
  Row next_;  // the row that is being scanned
};

// What is wrong with the quotes of a row. quote_within: a quote in a field that does not begin with a quote.
// text_after_quote: text after the closing quote of a field. not_closed: the bytes that were passed end within quotes.
struct MisquotedRow {
  enum class Fault { quote_within, text_after_quote, not_closed };
  std::size_t size = 0;  // including its newline, if it has one
  bool has_newline = false;
  std::optional<Fault> fault;  // the first fault; nullopt if there is none
  std::size_t at = 0;          // the offset of the field at fault
  std::size_t field = 0;       // the number of that field in its row, from 0
};
// Examines the row at the front of `bytes` byte by byte.
MisquotedRow examine_row(std::span<const std::byte> bytes, char delimiter);

}  // namespace carrack::data
