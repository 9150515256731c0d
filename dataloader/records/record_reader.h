// RecordReader: reads a TFRecord file, which may be compressed, from its beginning to its end, many records in each
// call. It verifies all checksums, and continues after damage: docs/formats/tfrecord.md says what each kind of damage
// loses. next() returns views into the reader's buffer, which are valid until the following call; no record is copied.
// The buffer grows with the bytes that have arrived, not with the length that a record claims. For a compressed file
// all offsets and sizes count inflated bytes. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/memory/large_vector.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/records/byte_stream.h"
#include "dataloader/records/compression.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/records/record_stream.h"

namespace carrack::data {

struct ReadOptions {
  // nullopt: recognized by the first bytes of the file. If set, a file of another compression is Fault::wrong_kind.
  std::optional<Compression> compression = std::nullopt;
  // Treats a truncated last record, and compressed data that ends too early, as the end of the file. For a file that is
  // still being written.
  bool allow_truncated = false;
  // The number of bytes of one read; less than 16 counts as 16. With the default the bytes are usually still in a
  // core's second-level cache when their checksums are computed.
  std::size_t piece = std::size_t{256} << 10;
};

class RecordReader final : public RecordStream {
 public:
  // After a damaged length the reader searches for the next good record. It finds only records whose frames have at
  // most this many bytes.
  static constexpr std::uint64_t search_bytes_max = std::uint64_t{64} << 20;

  // The file must outlive the reader.
  explicit RecordReader(const ByteSource& file, ReadOptions options = {});
  // Reads the records of a stream, which it owns, from the stream's current position on. Offsets count from there.
  // `name` becomes Corrupt::file. Ignores options.compression, as the stream inflates.
  RecordReader(std::string name, std::unique_ptr<ByteStream> stream, ReadOptions options = {});

  // Returns records, a fault or the end, see RecordStream. After a Corrupt the next call continues after the lost
  // bytes, which count as one record. Do not call it again after it has thrown.
  std::variant<Records, EndOfFile, Corrupt> next() override;
  Seek resume() const override { return stream_->resume(); }

 private:
  std::optional<Fault> take_whole_frames();
  Corrupt skip_fault(Fault fault);
  std::variant<Records, EndOfFile, Corrupt> end();
  void search();
  bool has_record_here();
  bool buffer_bytes(std::uint64_t size);
  void fill(std::uint64_t size);
  void fill_piece();
  void skip(std::uint64_t bytes);
  Corrupt corrupt(Fault fault, std::string message) const;
  std::uint64_t buffered() const { return end_ - begin_; }
  std::uint64_t left() const;

  const std::string name_;
  std::unique_ptr<ByteStream> stream_;
  bool allow_truncated_;
  const std::size_t piece_;  // number of bytes of one read
  LargeVector<std::byte> buffer_;
  std::size_t begin_ = 0;  // buffer_[begin_, end_) has been read and not been returned
  std::size_t end_ = 0;
  std::uint64_t needed_ = 0;  // size of the frame at begin_, or of its header until that has arrived
  std::uint64_t offset_ = 0;  // offset of begin_ in the file
  std::uint64_t number_ = 0;  // number of the record at begin_, from 0
  std::uint64_t wasted_ = 0;  // number of bytes whose checksum a search has computed, and that did not match
  std::vector<Record> records_;
};

}  // namespace carrack::data
