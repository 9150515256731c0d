// The compressions of whole TFRecord files, docs/formats/tfrecord.md, with zlib. Consecutive compressed streams inflate
// as one. An Inflater can also begin in the middle of a stream, at the end of any block of deflate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "dataloader/storage/storage.h"

struct z_stream_s;

namespace carrack::data {

enum class Compression { none, gzip, zlib };

// "NONE", "GZIP" or "ZLIB", as TensorFlow writes them.
const char* name_of(Compression compression);
// Throws Refused for any other name.
Compression compression_from(const std::string& name);

// The checksum of GZIP and ZIP. `before` is the checksum of the bytes before these.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

using ZlibStream = std::unique_ptr<z_stream_s, void (*)(z_stream_s*)>;

class Inflater {
 public:
  struct Step {
    std::size_t taken = 0;              // bytes of the input
    std::size_t made = 0;               // bytes of the output
    std::optional<std::string> damage;  // what zlib says; inflating ends with it
  };
  // What is needed to go on at the end of a block in the middle of a stream.
  struct Middle {
    std::span<const std::byte> window;  // the inflated bytes before it, the last 32 KiB of them at most
    unsigned bits = 0;                  // the number of upper bits of the byte before it that belong behind it
    unsigned value = 0;                 // of those bits
  };

  // `compression` must not be `none`.
  explicit Inflater(Compression compression);
  // The checksum at the end of the stream is not verified, as what it covers is not known; those of the streams behind
  // it are.
  Inflater(Compression compression, const Middle& middle);
  // For raw deflate, RFC 1951, as in ZIP: without header and checksum.
  static Inflater of_raw_deflate();

  // Inflates until all of `from` is taken, `into` is full or damage is found.
  Step inflate(std::span<const std::byte> from, std::span<std::byte> into);
  // The same, but ends also behind each block, each header and each stream.
  Step inflate_block(std::span<const std::byte> from, std::span<std::byte> into);
  // True if the input taken so far ends with a block that is not the last of its stream, or with a stream's header.
  bool at_block_end() const;
  // Requires at_block_end(): the number of upper bits of the last byte taken that belong to the next block.
  unsigned bits_left() const;
  // The last 32 KiB of the stream's inflated bytes, or as many as there are.
  Bytes window() const;
  // True if the input taken so far consists of complete streams.
  bool at_an_end() const { return at_an_end_; }

 private:
  explicit Inflater(int window_bits);
  Step run(std::span<const std::byte> from, std::span<std::byte> into, int flush);

  ZlibStream stream_;
  int window_bits_;  // zlib's parameter for the streams that follow
  bool at_an_end_ = true;
  bool in_middle_ = false;          // of a stream whose header was not read
  std::size_t checksum_bytes_ = 0;  // that stand behind that stream and are still to be passed over
};

class Deflater {
 public:
  // `compression` must not be `none`.
  explicit Deflater(Compression compression);

  // Appends output to `to`, not necessarily all; finish() appends the rest and ends the stream.
  void deflate(std::span<const std::byte> from, Bytes& to);
  void finish(Bytes& to);

 private:
  void run(std::span<const std::byte> from, Bytes& to, int flush);

  ZlibStream stream_;
};

}  // namespace carrack::data
