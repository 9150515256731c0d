// RowFile: the buffer through which the readers of CSV and JSON lines read a text file, which may be compressed by
// GZIP. The reader parses rows in bytes(), the buffered part of the file from the current row on, calls more() if they
// are not complete, and pass() when rows are done. All functions throw Error if the storage fails. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/records/file_stream.h"

namespace carrack::data {

// Where a row begins. A saved TextPlace lets another reader of the same file continue there.
struct TextPlace {
  std::uint64_t offset = 0;  // in the file, or in its inflated bytes
  std::uint64_t row = 0;     // the number of the row in its file, from 0
  bool operator==(const TextPlace&) const = default;
};

class RowFile {
 public:
  // Readers can read rows of up to this many bytes. They may report a longer row as Fault::too_long, and then do not
  // read the rest of the file. Of this class only find_lines() stops there.
  static constexpr std::size_t row_bytes_max = std::size_t{64} << 20;

  // Reads `piece` bytes at a time, at least 16, and more if rows are longer. The file must outlive this object.
  RowFile(const ByteSource& file, std::size_t piece);

  // Call this once, first. Reads the first bytes, and skips the byte order mark of UTF-8. Returns a fault if the file
  // begins with the mark of UTF-16.
  std::optional<Corrupt> begin();
  // Moves forward to `place`. Does nothing if the current row is at `place` or after it. Returns a fault if the file
  // ends before `place`, but nullopt if that is because of a problem().
  std::optional<Corrupt> go_to(TextPlace place);
  // The place of the current row, where bytes() begins.
  TextPlace place() const { return {offset_, row_}; }

  // The buffered bytes from the current row on, which the caller may modify. Empty if more() is needed, or at the end.
  std::span<std::byte> bytes() const { return {memory_.get() + begin_, end_ - begin_}; }
  // Reads more of the file and appends it to bytes(). All earlier spans of bytes() become invalid. Returns false if no
  // bytes were added: at the end of the file, and if there is a problem().
  bool more();
  // Sets `ends` to the offsets in bytes() after the newlines of the next `most` lines. There are fewer at the end of
  // the file, at a problem(), and once row_bytes_max bytes are buffered. The last line of the file may lack its
  // newline. Calls more() if needed.
  void find_lines(std::size_t most, std::vector<std::size_t>& ends);
  // Returns the line between these offsets in bytes(), without its \n; a \r before it remains. Requires begin < end.
  std::span<char> line(std::size_t begin, std::size_t end) const;
  // Makes the row after the first `rows` rows, which take `size` bytes, the current row: bytes() then begins there.
  // Spans of the passed bytes stay valid until more() is called.
  void pass(std::size_t size, std::size_t rows);

  // Makes a fault, which the caller returns. It is at byte `at` of bytes(), in the row that is `rows` rows after the
  // current row. Changes nothing.
  Corrupt corrupt(Fault fault, std::size_t at, std::string message, std::size_t rows = 0) const;
  // lose() and lost() pass over a bad row after the good rows before it were returned. lose() stores the fault of a row
  // of `size` bytes. The caller must make that row the current row before it calls lost().
  void lose(Corrupt corrupt, std::size_t size);
  // If lose() has stored a fault, moves to the next row and returns the fault once; else returns nullopt.
  std::optional<Corrupt> lost();
  // Returns how many of `most` rows to parse at a time. After a lost row it is one, and at each further call up to
  // twice as many: rows after a lost row are parsed again, which would take too long if many rows are lost.
  std::size_t rows_to_parse(std::size_t most);
  // For a fault after which no row can be read: ends the file at the current row. bytes() is then empty, more() returns
  // false, and problem() is nullopt. Returns the fault, which the caller must report. Its `lost` is the number of bytes
  // from the current row to the end of the file; if the end is not known, only the number of buffered bytes.
  Corrupt close(Fault fault, std::string message);

  // Why the file could not be read to its end, such as damaged compressed data or a Git LFS pointer; nullopt as long as
  // it could be read.
  const std::optional<ByteStream::Problem>& problem() const { return stream_.problem(); }
  // How expensive it is for another RowFile of this file to go_to() a place (byte_stream.h). Call it after begin().
  Seek resume() const { return stream_.resume(); }

 private:
  bool pass_to(std::uint64_t offset);

  const std::string name_;
  FileStream stream_;
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t begin_ = 0;  // bytes() is the part of memory_ from begin_ to end_
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // the offset of begin_ in the file
  std::uint64_t row_ = 0;     // the number of the row at begin_
  std::optional<Corrupt> lost_;
  std::size_t reach_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace carrack::data
