// A TFRecord file and its index.
#pragma once

#include <cstdint>
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

// The records of several files together. Copies of the files have the same totals if their names sort alike.
struct RecordTotals {
  std::uint64_t files = 0;  // that have records
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
  std::uint32_t crc32c = 0;  // of the files' Index::contents()
};
RecordTotals totals_of(const std::vector<IndexedFile>& files);

// "files 2, records 20000, bytes 760000, crc32c 0badf00d". Saved states and snapshots are identified by this text, so
// it must not change.
std::string contents_text(const RecordTotals& totals);
std::string contents_of(const std::vector<IndexedFile>& files);

}  // namespace carrack::data
