// TFRecord files for tests, written down as the texts of their records.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dataloader/records/compression.h"
#include "dataloader/records/frame.h"
#include "dataloader/records/wire.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

inline Bytes file_of(const std::vector<std::string_view>& records) {
  Bytes file;
  for (const std::string_view record : records) frame::append(file, wire::bytes_of(record));
  return file;
}

inline Bytes compressed(std::span<const std::byte> content, Compression compression) {
  Bytes file;
  Deflater deflater(compression);
  deflater.deflate(content, file);
  deflater.finish(file);
  return file;
}

inline Bytes joined(Bytes one, const Bytes& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

// Of a file whose end is cut off.
inline Bytes front(const Bytes& file, std::size_t size) {
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)};
}

inline void flip_bit(Bytes& file, std::size_t offset) {
  file.at(offset) ^= std::byte{1};
}

}  // namespace carrack::data
