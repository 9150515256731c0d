// Streams of zlib's of any level and with any flushes.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <span>

#include "dataloader/records/compression.h"

namespace carrack::data {

// One stream. With `flush`, all of it is flushed so behind each 50,000 bytes.
inline Bytes deflated(std::span<const std::byte> bytes, Compression compression, int level, int flush = Z_NO_FLUSH) {
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, compression == Compression::gzip ? 31 : 15, 8, Z_DEFAULT_STRATEGY);
  Bytes packed(deflateBound(&stream, bytes.size()) + bytes.size() / 1000 + 100);
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  for (bool is_last = false; !is_last;) {
    const auto part = flush == Z_NO_FLUSH ? bytes : bytes.first(std::min<std::size_t>(bytes.size(), 50'000));
    bytes = bytes.subspan(part.size());
    is_last = bytes.empty();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(part.data()));
    stream.avail_in = static_cast<uInt>(part.size());
    deflate(&stream, is_last ? Z_FINISH : flush);
  }
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace carrack::data
