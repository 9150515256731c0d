// The compressions of whole TFRecord files, docs/formats/tfrecord.md, and how they are written, with zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

// One GZIP member of these bytes. A GZIP file may consist of several.
Bytes gzip_member(std::span<const std::byte> bytes);

}  // namespace carrack::data
