// CsvFields: the scanner of CsvReader. It finds where the rows and fields of CSV text end, and parses no values. It
// scans 64 bytes at a time, many rows in each call. docs/formats/csv.md. Not thread-safe.
//
// In the text "a,bc\n1,2\n" the fields 0 to 3 end at the offsets 1, 4, 6 and 8. Row 0 has the fields 0 and 1, and row 1
// has the fields 2 and 3. All offsets count from the beginning of the bytes that are passed to find().
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
    std::uint32_t first = 0;   // the index of its first field, for end_of()
    std::uint32_t fields = 0;  // how many fields it has; the row ends with the last field
  };

  // What follows the bytes that are passed to find(): more bytes, the end of the file, or bytes that cannot be read.
  enum class Following { more, end, damage };

  // `delimiter` must not be a quote, \n or \r.
  explicit CsvFields(char delimiter) : delimiter_(delimiter) {}

  // Forgets everything. The bytes of the next find() must begin with a row.
  void begin();
  // Continues until rows() has at least `rows` rows, a quote is misplaced, or the bytes end. `bytes` must begin with
  // the bytes of the previous call since begin(), to which more bytes may have been appended; less than 4 GiB in all.
  // With Following::more, up to 63 bytes at the end are not scanned before the next call. With Following::end, the end
  // of the bytes ends the last row; with Following::damage it does not, and that row is not complete.
  void find(std::span<const std::byte> bytes, std::size_t rows, Following following);

  // The complete rows found since begin(), also more than find() had to find. An empty line is a row with one empty
  // field. The quotes of the rows are well-formed.
  const std::vector<Row>& rows() const { return rows_; }
  // Returns the offset after a field: that of its delimiter or newline, or of the end of the bytes. The index of a
  // field counts over all rows since begin(): the second field of `row` is row.first + 1. A \r before the newline, and
  // the quotes, belong to the field.
  std::uint32_t end_of(std::size_t field) const { return ends_[field]; }
  // True if the row after the last of rows() has a misplaced quote; find() does not continue then. False while quotes
  // are open at the end of the bytes.
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

// What is wrong with the quotes of a row. quote_within: a quote in a field that does not begin with a quote, as in
// `a"b,1`. text_after_quote: text after the closing quote of a field, as in `"a"b,1`. not_closed: the bytes end within
// quotes.
struct MisquotedRow {
  enum class Fault { quote_within, text_after_quote, not_closed };
  std::size_t size = 0;  // including its newline, if it has one
  bool has_newline = false;
  std::optional<Fault> fault;  // the first fault; nullopt if there is none
  std::size_t at = 0;          // the offset of the field at fault
  std::size_t field = 0;       // the number of that field in its row, from 0
};
// Finds out what is wrong with the row at the front of `bytes`, byte by byte. CsvReader calls it if CsvFields finds no
// complete row, for the error message.
MisquotedRow examine_row(std::span<const std::byte> bytes, char delimiter);

}  // namespace carrack::data
