#include "dataloader/indexes/indexed_file.h"

#include <cstdint>
#include <span>

#include "dataloader/crc32c.h"

namespace carrack::data {

RecordTotals totals_of(const std::vector<IndexedFile>& files) {
  RecordTotals totals;
  for (const IndexedFile& file : files) {
    if (file.index.records() == 0) continue;
    const std::uint32_t contents = file.index.contents();
    totals.crc32c = crc32c(std::as_bytes(std::span(&contents, 1)), totals.crc32c);
    ++totals.files;
    totals.records += file.index.records();
    totals.bytes += file.index.file().size;
  }
  return totals;
}

std::string data_fingerprint_of(const RecordTotals& totals) {
  return "files " + std::to_string(totals.files) + ", records " + std::to_string(totals.records) + ", bytes " +
         std::to_string(totals.bytes) + ", crc32c " + crc32c_hex(totals.crc32c);
}

std::string data_fingerprint_of(const std::vector<IndexedFile>& files) {
  return data_fingerprint_of(totals_of(files));
}

}  // namespace carrack::data
