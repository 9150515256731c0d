// Inflates GZIP and ZLIB with zlib. It is slower than an Inflater, but stops where a block of deflate ends, which is a
// place at which an Inflater can begin.
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

  // Inflates until all of `from` is taken, `into` is full, damage is found, or a block, a header or a stream ends. The
  // next stream, if any, continues the inflated bytes.
  Step inflate(std::span<const std::byte> from, std::span<std::byte> into);
  // True if the input taken so far ends with a block that is not the last of its stream, or with a stream's header.
  bool at_block_end() const;
  // Requires at_block_end(). Returns the number of upper bits of the last byte taken that belong to the next block.
  unsigned bits_left() const;
  // Returns the last inflated bytes of the current stream, at most 32 KiB.
  Bytes window() const;
  // True if the input taken so far consists of complete streams.
  bool at_an_end() const { return at_an_end_; }

 private:
  ZlibStream stream_;
  bool at_an_end_ = true;
};

}  // namespace carrack::data
