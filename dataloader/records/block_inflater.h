// Inflates GZIP and ZLIB with zlib. It is slower than an Inflater, but stops where a block of deflate ends. An Inflater
// can begin there (Inflater::Middle).
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

  // Inflates until all of `from` is taken, `into` is full, damage is found, or a block, a header or a stream ends. If
  // another stream follows, its inflated bytes simply continue the output. Throws std::bad_alloc if zlib has no memory.
  Step inflate(std::span<const std::byte> from, std::span<std::byte> into);
  // True if the input that was taken so far ends with a block that is not the last of its stream, or with the header of
  // a stream.
  bool at_block_end() const;
  // Requires at_block_end(). Returns how many upper bits of the last byte that was taken belong to the next block.
  unsigned bits_left() const;
  // Returns the last inflated bytes of the current stream, at most 32 KiB.
  Bytes window() const;
  // True if the input that was taken so far consists of complete streams, also before the first byte.
  bool at_an_end() const { return at_an_end_; }

 private:
  ZlibStream stream_;
  bool at_an_end_ = true;
};

}  // namespace carrack::data
