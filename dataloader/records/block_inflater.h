// BlockInflater: inflates GZIP and ZLIB with zlib, and stops at the ends of deflate blocks. SeekPointStream finds with
// it the places in a compressed file from which an Inflater can begin later (Inflater::Middle). It is slower than an
// Inflater. Not thread-safe.
#pragma once

#include <cstddef>
#include <span>

#include "dataloader/records/compression.h"
#include "dataloader/records/inflater.h"

namespace carrack::data {

class BlockInflater {
 public:
  using Step = Inflater::Step;

  // `compression` must not be `none`.
  explicit BlockInflater(Compression compression);

  // Inflates `from` into `into` until all input is used, `into` is full, damage is found, or a block, a header or a
  // stream ends. The Step says how many bytes were used and written; pass the rest of the input to the next call. If
  // another stream follows, its inflated bytes continue the output. Throws std::bad_alloc if zlib has no memory.
  Step inflate(std::span<const std::byte> from, std::span<std::byte> into);
  // True if an Inflater can begin here: if the input that was used so far ends with a block that is not the last of its
  // stream, or with the header of a stream.
  bool at_block_end() const;
  // Requires at_block_end(). Blocks end at any bit: returns how many upper bits of the last byte that was used belong
  // to the next block, 0 to 7.
  unsigned bits_left() const;
  // Returns a copy of the last inflated bytes of the current stream, at most 32 KiB, which later blocks may refer to.
  Bytes window() const;
  // True if the input that was used so far consists of complete streams, also before the first byte. If false at the
  // end of the file, the file is truncated.
  bool at_an_end() const { return at_an_end_; }

 private:
  ZlibStream stream_;
  bool at_an_end_ = true;
};

}  // namespace carrack::data
