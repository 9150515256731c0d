// SeekPointStream: the ByteStream with which a compressed file is indexed. It inflates the file from its beginning to
// its end, and meanwhile finds the seek points (seek_points.h), so that later the file can be inflated from any of them
// on. To read a file without indexing it, use FileStream. docs/formats/index.md. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dataloader/records/block_inflater.h"
#include "dataloader/records/byte_source.h"
#include "dataloader/records/byte_stream.h"
#include "dataloader/records/index.h"
#include "dataloader/records/seek_points.h"

namespace carrack::data {

class SeekPointStream final : public ByteStream {
 public:
  // Reads the file, which must outlive the stream, in pieces of `piece` bytes. `compression` must not be `none`.
  // `damage` says what to do with damaged compressed data. `refused`: the stream ends with a problem(). `indexed`: the
  // stream continues where the next GZIP member or ZLIB stream begins. In place of the damaged part it returns a zero
  // for each byte of the file that was skipped, at least one, so that readers of records notice the damage. A file that
  // has changed is a problem() with both.
  SeekPointStream(const ByteSource& file, Compression compression, std::size_t piece, DamagedFile damage);

  std::size_t read(std::span<std::byte> into) override;
  std::uint64_t left() const override { return ended_ && zeros_ == 0 ? 0 : unknown; }
  const std::optional<Problem>& problem() const override { return problem_; }
  bool inflates() const override { return true; }
  Seek resume() const override { return Seek::by_reading_again; }
  void close() override;

  // The seek points in the bytes that read() has returned so far.
  const SeekPoints& points() const { return points_; }
  // The number of inflated bytes that read() has returned; at the end, the inflated size of the file.
  std::uint64_t inflated() const { return out_; }

 private:
  std::size_t inflate(std::span<std::byte> into);
  std::size_t give_zeros(std::span<std::byte> into);
  bool take_piece(std::size_t size);
  void pass_over_damage(Fault fault, const std::string& what);
  std::optional<std::uint64_t> next_stream(std::uint64_t from);
  bool inflates_from(std::uint64_t at);
  void add_point();
  void begin_stream_at(std::uint64_t in);

  const ByteSource& file_;
  const std::size_t piece_;
  const DamagedFile damage_;
  SeekPoints points_;
  std::uint64_t points_size_ = 0;  // size of the encoded points in bytes
  std::uint64_t next_window_ = 0;  // the value of out_ from which on a point with a window may be added
  BlockInflater inflater_;
  Bytes memory_;                      // a piece of the file
  std::span<const std::byte> input_;  // the part of memory_ that is not inflated yet
  std::uint64_t in_ = 0;              // the offset in the file of the front of input_
  std::byte last_taken_ = {};         // the last byte of the file that was inflated
  std::uint64_t stream_begin_ = 0;    // the offset in the file of the stream that is being inflated
  std::uint64_t out_ = 0;             // the number of bytes made so far
  std::uint64_t zeros_ = 0;           // the number of zeros that must still be returned for damage
  std::uint64_t trials_ = 0;          // about the number of bytes that were read to find a stream after damage
  bool ended_ = false;                // no more can be inflated
  std::optional<Problem> problem_;
};

}  // namespace carrack::data
