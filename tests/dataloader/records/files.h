// TFRecord files for tests, written down as the texts of their records.
#pragma once

#include <string_view>
#include <vector>

#include "dataloader/records/frame.h"
#include "dataloader/records/wire.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

inline Bytes file_of(const std::vector<std::string_view>& records) {
  Bytes file;
  for (const std::string_view record : records) frame::append(file, wire::bytes_of(record));
  return file;
}

inline void flip_bit(Bytes& file, std::size_t offset) {
  file.at(offset) ^= std::byte{1};
}

}  // namespace carrack::data
