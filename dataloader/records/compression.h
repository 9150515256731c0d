// The compressions of whole TFRecord files, docs/formats/tfrecord.md, with zlib. Consecutive compressed streams inflate
// as one.
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

  // `compression` must not be `none`.
  explicit Inflater(Compression compression);
  // For raw deflate, RFC 1951, as in ZIP: without header and checksum.
  static Inflater of_raw_deflate();

  // Inflates until all of `from` is taken, `into` is full or damage is found.
  Step inflate(std::span<const std::byte> from, std::span<std::byte> into);
  // True if the input taken so far consists of complete streams.
  bool at_an_end() const { return at_an_end_; }

 private:
  explicit Inflater(int window_bits);

  ZlibStream stream_;
  bool at_an_end_ = true;
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
