#include "dataloader/pipeline/sequences/source_files.h"

#include <algorithm>
#include <iterator>

#include "dataloader/error.h"

namespace carrack::data {

std::vector<Listed> source_files(const Storages& storages, const std::vector<std::string>& patterns) {
  std::vector<Listed> files;
  for (const std::string& pattern : patterns) {
    Storage& storage = storages.for_url(pattern);
    std::vector<Listed> found = storage.list(pattern);
    if (found.empty()) throw Refused(no_match_text(storage, pattern));
    std::ranges::move(found, std::back_inserter(files));
  }
  return files;
}

std::unique_ptr<const ByteSource> source_of(const Storages& storages, const Listed& file) {
  return std::make_unique<StoredObject>(storages.for_url(file.url), file.url, file.stat);
}

std::uint64_t total_bytes(const std::vector<Listed>& files) {
  std::uint64_t bytes = 0;
  for (const Listed& file : files) bytes += file.stat.size;
  return bytes;
}

}  // namespace carrack::data
