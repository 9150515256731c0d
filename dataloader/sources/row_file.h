// Buffers a text file of rows, which it inflates if it is compressed. bytes() is the buffered part from the present row
// on, which the reader may modify. For the readers of CSV and JSON lines. Throws what the storage throws. Not
// thread-safe.
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

// The beginning of a row, at which another reader of the same file can continue.
struct TextPlace {
  std::uint64_t offset = 0;  // in the file, or in what it inflates to
  std::uint64_t row = 0;     // counted from 0 in its file
  bool operator==(const TextPlace&) const = default;
};

class RowFile {
 public:
  // A longer row is a fault that ends the file.
  static constexpr std::size_t row_bytes_max = std::size_t{64} << 20;

  // Reads `piece` bytes at a time, and more if rows are longer. The file must outlive this object.
  RowFile(const ByteSource& file, std::size_t piece);

  // Reads the first bytes, and skips the byte order mark of UTF-8. The mark of UTF-16 is a fault. Call this first.
  std::optional<Corrupt> begin();
  // Moves forward to `place`; a place at or before the present one changes nothing. It is a fault if the file ends
  // before it.
  std::optional<Corrupt> go_to(TextPlace place);
  TextPlace place() const { return {offset_, row_}; }

  std::span<std::byte> bytes() const { return {memory_.get() + begin_, end_ - begin_}; }
  // Reads more of the file and appends it to bytes(), whose earlier spans become invalid. False at the end of the file
  // and if there is a problem().
  bool more();
  // Sets `ends` to where the next lines end in bytes(), behind their newlines: `most` lines, or fewer at the end of the
  // file or once row_bytes_max are buffered. The last line of the file may lack its newline. Calls more() as needed.
  void find_lines(std::size_t most, std::vector<std::size_t>& ends);
  // The line between these places in bytes(), without its newline.
  std::span<char> line(std::size_t begin, std::size_t end) const;
  // Skips `size` bytes of bytes(), which hold `rows` rows. Spans of them stay valid until more() is called.
  void pass(std::size_t size, std::size_t rows);

  // A fault at byte `at` of bytes(), in the row behind `rows` others.
  Corrupt corrupt(Fault fault, std::size_t at, std::string message, std::size_t rows = 0) const;
  // Marks the next row, of `size` bytes, as bad. lost() returns it once and continues behind it; nullopt if none is.
  void lose(Corrupt corrupt, std::size_t size);
  std::optional<Corrupt> lost();
  // How many of `most` rows to parse at once: few behind a lost row, and twice as many at each call. If many rows are
  // lost, the rows behind each would otherwise be parsed again and again.
  std::size_t reach(std::size_t most);
  // Ends the file at the present row: bytes() becomes empty and more() returns false. Returns the fault for the caller
  // to report; it counts everything from the present row to the end of the file as lost, as far as that is known.
  Corrupt close(Fault fault, std::string message);

  // Why the file could not be read to its end.
  const std::optional<ByteStream::Problem>& problem() const { return stream_.problem(); }
  // How another reader can go_to() a place of this file. Known after begin().
  Seek resume() const { return stream_.resume(); }

 private:
  bool pass_to(std::uint64_t offset);

  const std::string name_;
  FileStream stream_;
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t begin_ = 0;  // of bytes() in memory_
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // of begin_ in the file
  std::uint64_t row_ = 0;     // at begin_
  std::optional<Corrupt> lost_;
  std::size_t reach_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace carrack::data
