// A TFRecord file together with where its records are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"

namespace carrack::data {

struct IndexedFile {
  std::unique_ptr<const ByteSource> source;
  Index index;
};

// What all records are together, in words: "files 2, records 20000, bytes 760000, crc32c 0badf00d". Copies of the files
// have the same under other names that sort alike; where it is the same, so is every batch.
std::string contents_of(const std::vector<IndexedFile>& files);

}  // namespace carrack::data
