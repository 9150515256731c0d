#include "dataloader/records/compression.h"

#include <isa-l/crc.h>

#include "dataloader/error.h"
#include "dataloader/records/zlib_stream.h"

namespace carrack::data {
namespace {

constexpr std::size_t chunk = std::size_t{64} << 10;

}  // namespace

const char* name_of(Compression compression) {
  switch (compression) {
    case Compression::none:
      return "NONE";
    case Compression::gzip:
      return "GZIP";
    case Compression::zlib:
      return "ZLIB";
  }
  return "";
}

Compression compression_from(const std::string& name) {
  for (const Compression one : {Compression::none, Compression::gzip, Compression::zlib})
    if (name == name_of(one)) return one;
  throw Refused("'" + name + "' is not a known compression of TFRecords; write NONE, GZIP or ZLIB");
}

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  return ::crc32_gzip_refl(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

Deflater::Deflater(Compression compression) : stream_(new_zlib_stream<::deflateEnd>()) {
  constexpr int memory_level = 8;  // zlib's default
  require_memory(::deflateInit2(stream_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits_of(compression),
                                memory_level, Z_DEFAULT_STRATEGY));
}

void Deflater::deflate(std::span<const std::byte> from, Bytes& to) {
  for (; !from.empty(); from = from.subspan(zlib_count_of(from.size())))
    run(from.first(zlib_count_of(from.size())), to, Z_NO_FLUSH);
}

void Deflater::finish(Bytes& to) {
  run({}, to, Z_FINISH);
}

Bytes gzip_member(std::span<const std::byte> bytes) {
  Bytes member;
  Deflater deflater(Compression::gzip);
  deflater.deflate(bytes, member);
  deflater.finish(member);
  return member;
}

void Deflater::run(std::span<const std::byte> from, Bytes& to, int flush) {
  stream_->next_in = reinterpret_cast<const Bytef*>(from.data());
  stream_->avail_in = static_cast<uInt>(from.size());
  do {
    const std::size_t made = to.size();
    to.resize(made + chunk);
    stream_->next_out = reinterpret_cast<Bytef*>(to.data() + made);
    stream_->avail_out = static_cast<uInt>(chunk);
    ::deflate(stream_.get(), flush);
    to.erase(to.end() - static_cast<std::ptrdiff_t>(stream_->avail_out), to.end());
  } while (stream_->avail_out == 0);
}

}  // namespace carrack::data
