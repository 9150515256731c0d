#include "dataloader/pipeline/indexed_file.h"

#include <cstdint>
#include <cstdio>
#include <utility>

#include "dataloader/crc32c.h"

namespace carrack::data {

std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(Storage& storage, const std::string& pattern) {
  std::vector<IndexedFile> files;
  for (Listed& listed : storage.list(pattern)) {
    auto source = std::make_unique<const StoredObject>(storage, std::move(listed.url), std::move(listed.stat));
    std::variant<Index, Corrupt> index = build_index(*source);
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&index)) return *corrupt;
    files.push_back({std::move(source), std::get<Index>(std::move(index))});
  }
  return files;
}

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
  char hex[9];
  std::snprintf(hex, sizeof hex, "%08x", static_cast<unsigned>(crc));
  return "files " + std::to_string(count) + ", records " + std::to_string(records) + ", bytes " +
         std::to_string(bytes) + ", crc32c " + hex;
}

}  // namespace carrack::data
