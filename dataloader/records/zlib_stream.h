// Helpers for the two classes that call zlib, Deflater and BlockInflater: a z_stream that frees itself, and conversions
// of parameters and results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#define ZLIB_CONST  // makes zlib's input const
#include <zlib.h>

#include "dataloader/records/compression.h"

namespace carrack::data {

// Returns a stream that calls `end`, which is inflateEnd or deflateEnd, when it is destroyed. The caller must call
// inflateInit2() or deflateInit2() on it.
template <int (*end)(z_stream*)>
ZlibStream new_zlib_stream() {
  const auto free = [](z_stream* stream) {
    end(stream);
    delete stream;
  };
  return {std::make_unique<z_stream>().release(), free};
}

// Returns zlib's parameter windowBits for the format, which must not be `none`.
inline int window_bits_of(Compression compression) {
  return compression == Compression::gzip ? MAX_WBITS + 16 : MAX_WBITS;
}

// Returns `size`, or 1 GiB if that is less: zlib counts in 32 bits, so longer data needs several calls.
inline uInt zlib_count_of(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::size_t{1} << 30));
}

// Throws std::bad_alloc if zlib had no memory. Ignores other results.
inline void require_memory(int result) {
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
}

}  // namespace carrack::data
