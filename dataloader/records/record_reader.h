// Reads a TFRecord file from its beginning to its end, many records a call, all checksums checked.
// It reads large pieces into one buffer and hands out views into it, so no record is copied; the buffer grows only for
// a single record that is longer, once its length's checksum holds and the file is long enough for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

struct Record {
  std::span<const std::byte> data;
  std::uint64_t offset = 0;  // of its frame in the file
};

// Good records in a row, at least one; valid until the next call.
struct Records {
  std::uint64_t first = 0;  // the number of the first in its file
  std::span<const Record> records;
};

struct EndOfFile {};

class RecordReader {
 public:
  // Half of a core's second-level cache: a piece is still in it when its records' checksums are taken.
  static constexpr std::size_t default_piece = std::size_t{256} << 10;

  // The file must outlive the reader.
  explicit RecordReader(const ByteSource& file, std::size_t piece = default_piece);

  // After a Corrupt the next call goes on behind what is lost: after bad data with the next record, otherwise with the
  // end of the file.
  std::variant<Records, EndOfFile, Corrupt> next();

 private:
  std::optional<Fault> take_whole_frames();
  bool fill();
  Corrupt skip(Fault fault, std::uint64_t lost);
  std::size_t buffered() const { return end_ - begin_; }
  std::uint64_t left_in_file() const { return file_.stat().size - offset_; }

  const ByteSource& file_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;  // of what was read and not yet handed out
  std::size_t end_ = 0;
  std::size_t needed_ = 0;    // for the frame at begin_, as far as is known of it
  std::uint64_t offset_ = 0;  // of begin_ in the file
  std::uint64_t number_ = 0;  // of the record at begin_
  std::vector<Record> records_;
};

}  // namespace carrack::data
