// A stream of zlib's, and its calls as ours need them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#define ZLIB_CONST  // makes zlib's input const
#include <zlib.h>

#include "dataloader/records/compression.h"

namespace carrack::data {

template <int (*end)(z_stream*)>
ZlibStream new_zlib_stream() {
  const auto free = [](z_stream* stream) {
    end(stream);
    delete stream;
  };
  return {std::make_unique<z_stream>().release(), free};
}

// zlib's parameter for the format.
inline int window_bits_of(Compression compression) {
  return compression == Compression::gzip ? MAX_WBITS + 16 : MAX_WBITS;
}

// zlib counts in 32 bits.
inline uInt zlib_count_of(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::size_t{1} << 30));
}

inline void require_memory(int result) {
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
}

}  // namespace carrack::data
