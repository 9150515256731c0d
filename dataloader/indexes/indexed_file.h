// A TFRecord file with its index, and the totals of several files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"

namespace carrack::data {

struct IndexedFile {
  std::unique_ptr<const ByteSource> source;  // the bytes of the records, inflated if the file is compressed
  Index index;
};

// Totals of several files. Files without records do not count. `crc32c` depends on the order of the files; copies of
// the files in the same order have the same totals.
struct RecordTotals {
  std::uint64_t files = 0;  // number of files that have records
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;   // size of these files, inflated if they are compressed
  std::uint32_t crc32c = 0;  // of the Index::contents() of the files, in their order
};
RecordTotals totals_of(const std::vector<IndexedFile>& files);

// Returns a text such as "files 2, records 20000, bytes 760000, crc32c 0badf00d". The format of this text must not
// change, because it identifies the data in saved states and snapshots.
std::string contents_text(const RecordTotals& totals);
// Returns contents_text() of the files' totals.
std::string contents_of(const std::vector<IndexedFile>& files);

}  // namespace carrack::data
