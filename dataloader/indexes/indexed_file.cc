#include "dataloader/indexes/indexed_file.h"

#include <cstdint>
#include <span>

#include "dataloader/crc32c.h"

namespace carrack::data {

std::string contents_of(const std::vector<IndexedFile>& files) {
  std::uint64_t count = 0, records = 0, bytes = 0;
  std::uint32_t crc = 0;
  for (const IndexedFile& file : files) {
    if (file.index.records() == 0) continue;
    const std::uint32_t contents = file.index.contents();
    crc = crc32c(std::as_bytes(std::span(&contents, 1)), crc);
    ++count;
    records += file.index.records();
    bytes += file.index.file().size;
  }
  return "files " + std::to_string(count) + ", records " + std::to_string(records) + ", bytes " +
         std::to_string(bytes) + ", crc32c " + crc32c_hex(crc);
}

}  // namespace carrack::data
