// A TFRecord file with its index, and the fingerprint of a data set of such files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/index.h"

namespace carrack::data {

// A file whose records can be read in any order. Move-only; it owns both.
struct IndexedFile {
  std::unique_ptr<const ByteSource> source;  // the bytes of the records, inflated if the file is compressed
  Index index;
};

// Totals of the files of a data set. Files without records do not count. Copies of the files in the same order have the
// same totals; `crc32c` depends on all records and on the order of the files.
struct RecordTotals {
  std::uint64_t files = 0;  // number of files that have records
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;   // size of these files, inflated if they are compressed
  std::uint32_t crc32c = 0;  // of the Index::contents() (the checksum of the records) of the files, in their order
};
RecordTotals totals_of(const std::vector<IndexedFile>& files);

// Returns "files 2, records 20000, bytes 760000, crc32c 0badf00d". Saved states, checkpoints and snapshots have this
// text, so that they are used only with the same data. So its format must not change.
std::string data_fingerprint_of(const RecordTotals& totals);
// Returns data_fingerprint_of() of the files' totals.
std::string data_fingerprint_of(const std::vector<IndexedFile>& files);

}  // namespace carrack::data
