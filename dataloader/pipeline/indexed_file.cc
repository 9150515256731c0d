#include "dataloader/pipeline/indexed_file.h"

#include <utility>

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

}  // namespace carrack::data
