// The compressions that a whole TFRecord file may have, docs/formats/tfrecord.md, by zlib. Bytes go in and bytes come
// out; streams that lie behind each other are one.
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

// NONE, GZIP or ZLIB, as TensorFlow writes them.
const char* name_of(Compression compression);
// Throws Refused for any other name.
Compression compression_from(const std::string& name);

// The checksum of GZIP and ZIP, of bytes behind others that have this one.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

using ZlibStream = std::unique_ptr<z_stream_s, void (*)(z_stream_s*)>;

class Inflater {
 public:
  struct Step {
    std::size_t taken = 0;
    std::size_t made = 0;
    std::optional<std::string> damage;  // Nothing comes behind it.
  };

  // Not of `none`.
  explicit Inflater(Compression compression);
  // Of deflate as it is, RFC 1951, as ZIP has it: nothing tells what it is or checks it.
  static Inflater of_raw_deflate();

  // Goes on until all of `from` is taken, `into` is full or the stream turns out to be damaged.
  Step inflate(std::span<const std::byte> from, std::span<std::byte> into);
  // All that was taken are whole streams.
  bool at_an_end() const { return at_an_end_; }

 private:
  explicit Inflater(int window_bits);

  ZlibStream stream_;
  bool at_an_end_ = true;
};

class Deflater {
 public:
  // Not of `none`.
  explicit Deflater(Compression compression);

  // Appends to `to` what is ready; the rest comes with the next call, the last of it with finish().
  void deflate(std::span<const std::byte> from, Bytes& to);
  void finish(Bytes& to);

 private:
  void run(std::span<const std::byte> from, Bytes& to, int flush);

  ZlibStream stream_;
};

}  // namespace carrack::data
