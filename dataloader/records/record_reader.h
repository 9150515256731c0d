// Reads a TFRecord file from its beginning to its end, many records a call, all checksums checked, and goes on behind
// what is damaged: docs/formats/tfrecord.md says what is lost with what.
// It reads large pieces into one buffer and hands out views into it, so no record is copied. A length is believed once
// its checksum holds and as far as its bytes come: the buffer grows with them. Of a compressed file all offsets and
// sizes are those of the inflated bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
  // Nothing: whichever the file's first bytes tell.
  std::optional<Compression> compression = std::nullopt;
  // A cut tail is the end of the file and no fault, as in a file that is still being written.
  bool allow_truncated = false;
  // Half of a core's second-level cache: a piece is still in it when its records' checksums are taken.
  std::size_t piece = std::size_t{256} << 10;
};

class RecordReader final : public RecordStream {
 public:
  // A longer record is a fault, as a little compressed data may inflate to whatever it says. Protobuf's messages, and
  // so all Examples, are shorter.
  static constexpr std::uint64_t record_bytes_max = std::uint64_t{2} << 30;
  // The longest frame that is looked for behind a damaged length.
  static constexpr std::uint64_t search_bytes_max = std::uint64_t{64} << 20;

  // The file must outlive the reader.
  explicit RecordReader(const ByteSource& file, ReadOptions options = {});
  // Problems are told with the name. A compression that the options name is the stream's matter.
  RecordReader(std::string name, std::unique_ptr<ByteStream> stream, ReadOptions options = {});

  // After a Corrupt the next call goes on behind what is lost. Records are counted as they come, a lost span as one.
  std::variant<Records, EndOfFile, Corrupt> next() override;
  Seek resume() const override { return stream_->resume(); }

 private:
  std::optional<Fault> take_whole_frames();
  Corrupt lose(Fault fault);
  std::variant<Records, EndOfFile, Corrupt> end();
  void search();
  bool record_stands_here();
  bool hold(std::uint64_t size);
  void fill(std::uint64_t size);
  void pass(std::uint64_t bytes);
  Corrupt corrupt(Fault fault, std::string what) const;
  std::uint64_t buffered() const { return end_ - begin_; }
  std::uint64_t left() const;

  const std::string name_;
  std::unique_ptr<ByteStream> stream_;
  bool allow_truncated_;
  LargeVector<std::byte> buffer_;
  std::size_t begin_ = 0;  // of what was read and not yet handed out
  std::size_t end_ = 0;
  std::uint64_t needed_ = 0;   // of the frame at begin_, as far as is known of it
  std::uint64_t offset_ = 0;   // of begin_ in the file
  std::uint64_t number_ = 0;   // of the record at begin_
  std::uint64_t in_vain_ = 0;  // bytes of frames that were sought and turned out to be none
  std::vector<Record> records_;
};

}  // namespace carrack::data
