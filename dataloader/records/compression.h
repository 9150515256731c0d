// The compressions of whole files that TensorFlow uses for TFRecords (docs/formats/tfrecord.md), and a Deflater that
// compresses with zlib. Inflater (inflater.h) is the opposite.
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
// Returns the compression with this name_of(). Throws Refused for any other name.
Compression compression_from(const std::string& name);

// Returns the CRC-32 of GZIP and ZIP files (not the CRC-32C of TFRecords). To continue a checksum, pass the checksum of
// the previous bytes as `before`.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

// Owns a stream of zlib; made by new_zlib_stream() (zlib_stream.h).
using ZlibStream = std::unique_ptr<z_stream_s, void (*)(z_stream_s*)>;

// Compresses bytes to one GZIP or ZLIB stream. Not thread-safe. All functions throw std::bad_alloc if there is no
// memory.
class Deflater {
 public:
  // `compression` must not be `none`.
  explicit Deflater(Compression compression);

  // Compresses `from` and appends compressed bytes to `to`. It may append some of them only in a later call, or in
  // finish().
  void deflate(std::span<const std::byte> from, Bytes& to);
  // Appends the bytes that are still missing, and the end of the stream. Call it once, last.
  void finish(Bytes& to);

 private:
  void run(std::span<const std::byte> from, Bytes& to, int flush);

  ZlibStream stream_;
};

// Returns `bytes` compressed as one GZIP member, which is a whole GZIP file. Several members one after the other are a
// GZIP file, too.
Bytes gzip_member(std::span<const std::byte> bytes);

}  // namespace carrack::data
