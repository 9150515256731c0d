#include "dataloader/records/compression.h"

#include <algorithm>
#include <new>

#define ZLIB_CONST  // makes zlib's input const
#include <zlib.h>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

constexpr std::size_t chunk = std::size_t{64} << 10;
// What stands behind a stream: its checksum, and with GZIP its length.
constexpr std::size_t gzip_trailer = 8, zlib_trailer = 4;

// zlib's parameter for the format.
int window_bits_of(Compression compression) {
  return compression == Compression::gzip ? MAX_WBITS + 16 : MAX_WBITS;
}

// zlib counts in 32 bits.
uInt count_of(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::size_t{1} << 30));
}

void require(int result) {
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
}

template <int (*end)(z_stream*)>
void free_stream(z_stream* stream) {
  end(stream);
  delete stream;
}

template <int (*end)(z_stream*)>
ZlibStream new_stream() {
  return {std::make_unique<z_stream>().release(), free_stream<end>};
}

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
  throw Refused("'" + name + "' is no compression of TFRecords that is known here; write NONE, GZIP or ZLIB");
}

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Inflater::Inflater(Compression compression) : Inflater(window_bits_of(compression)) {}

Inflater::Inflater(int window_bits) : stream_(new_stream<::inflateEnd>()), window_bits_(window_bits) {
  require(::inflateInit2(stream_.get(), window_bits));
}

Inflater::Inflater(Compression compression, const Middle& middle) : Inflater(-MAX_WBITS) {
  window_bits_ = window_bits_of(compression);
  in_middle_ = true;
  at_an_end_ = false;
  if (middle.bits > 0) ::inflatePrime(stream_.get(), static_cast<int>(middle.bits), static_cast<int>(middle.value));
  require(::inflateSetDictionary(stream_.get(), reinterpret_cast<const Bytef*>(middle.window.data()),
                                 static_cast<uInt>(middle.window.size())));
}

Inflater Inflater::of_raw_deflate() {
  return Inflater(-MAX_WBITS);
}

Inflater::Step Inflater::inflate(std::span<const std::byte> from, std::span<std::byte> into) {
  return run(from, into, Z_NO_FLUSH);
}

Inflater::Step Inflater::inflate_block(std::span<const std::byte> from, std::span<std::byte> into) {
  return run(from, into, Z_BLOCK);
}

Inflater::Step Inflater::run(std::span<const std::byte> from, std::span<std::byte> into, int flush) {
  Step step;
  for (;;) {
    if (checksum_bytes_ > 0) {
      const std::size_t passed = std::min(checksum_bytes_, from.size() - step.taken);
      step.taken += passed;
      checksum_bytes_ -= passed;
      if (checksum_bytes_ > 0) return step;
      ::inflateReset2(stream_.get(), window_bits_);
      at_an_end_ = true;
      if (flush == Z_BLOCK) return step;
    }
    if (at_an_end_ && step.taken == from.size()) return step;
    stream_->next_in = reinterpret_cast<const Bytef*>(from.data() + step.taken);
    stream_->avail_in = count_of(from.size() - step.taken);
    stream_->next_out = reinterpret_cast<Bytef*>(into.data() + step.made);
    stream_->avail_out = count_of(into.size() - step.made);
    const int result = ::inflate(stream_.get(), flush);
    require(result);
    step.taken = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(stream_->next_in) - from.data());
    step.made = static_cast<std::size_t>(reinterpret_cast<std::byte*>(stream_->next_out) - into.data());
    at_an_end_ = result == Z_STREAM_END && !in_middle_;
    if (result == Z_STREAM_END && in_middle_) {
      in_middle_ = false;
      checksum_bytes_ = window_bits_ > MAX_WBITS ? gzip_trailer : zlib_trailer;
    } else if (at_an_end_) {
      ::inflateReset(stream_.get());
      if (flush == Z_BLOCK) return step;
    } else if (result == Z_BUF_ERROR) {  // No progress is possible.
      return step;
    } else if (result != Z_OK) {
      step.damage = stream_->msg != nullptr ? stream_->msg : "needs a dictionary";
      return step;
    } else if (flush == Z_BLOCK && at_block_end()) {
      return step;
    }
  }
}

// See inflate() in zlib.h on data_type.
bool Inflater::at_block_end() const {
  constexpr int block_end = 128, last_block = 64;
  return !at_an_end_ && (stream_->data_type & (block_end | last_block)) == block_end;
}

unsigned Inflater::bits_left() const {
  return static_cast<unsigned>(stream_->data_type & 7);
}

Bytes Inflater::window() const {
  Bytes window(std::size_t{1} << MAX_WBITS);
  uInt size = 0;
  ::inflateGetDictionary(stream_.get(), reinterpret_cast<Bytef*>(window.data()), &size);
  window.resize(size);
  return window;
}

Deflater::Deflater(Compression compression) : stream_(new_stream<::deflateEnd>()) {
  constexpr int memory_level = 8;  // zlib's default
  require(::deflateInit2(stream_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits_of(compression), memory_level,
                         Z_DEFAULT_STRATEGY));
}

void Deflater::deflate(std::span<const std::byte> from, Bytes& to) {
  for (; !from.empty(); from = from.subspan(count_of(from.size())))
    run(from.first(count_of(from.size())), to, Z_NO_FLUSH);
}

void Deflater::finish(Bytes& to) {
  run({}, to, Z_FINISH);
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
