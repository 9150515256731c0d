// Inflates a compressed file from its beginning to its end, and on the way finds the places at which it can be inflated
// later, docs/formats/index.md. Not thread-safe.
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
  // Reads pieces of `piece` bytes of the file, which must outlive it. Damage is a problem() if it is `refused`. If it
  // is `indexed`, the stream goes on where the next GZIP member or ZLIB stream begins, and gives a zero for each byte
  // of the file that was passed over, one at least, so that readers of records find the damage.
  SeekPointStream(const ByteSource& file, Compression compression, std::size_t piece, Damage damage);

  std::size_t read(std::span<std::byte> into) override;
  std::uint64_t left() const override { return ended_ && zeros_ == 0 ? 0 : unknown; }
  const std::optional<Problem>& problem() const override { return problem_; }
  bool inflates() const override { return true; }
  Seek resume() const override { return Seek::by_reading_again; }
  void close() override;

  // The points among the bytes that were read.
  const SeekPoints& points() const { return points_; }
  // The number of bytes that were read.
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
  const Damage damage_;
  SeekPoints points_;
  std::uint64_t points_size_ = 0;  // of the points when they are encoded
  std::uint64_t next_window_ = 0;  // the inflated bytes from which on a point with a window is worth its bytes
  BlockInflater inflater_;
  Bytes memory_;                      // a piece of the file
  std::span<const std::byte> input_;  // the part of it that is not inflated yet
  std::uint64_t in_ = 0;              // of the front of input_ in the file
  std::byte last_taken_ = {};         // the byte before it
  std::uint64_t stream_begin_ = 0;    // of the stream that is being inflated
  std::uint64_t out_ = 0;
  std::uint64_t zeros_ = 0;   // still to be given for damage
  std::uint64_t trials_ = 0;  // bytes that were read in search of a stream
  bool ended_ = false;        // nothing more is inflated
  std::optional<Problem> problem_;
};

}  // namespace carrack::data
