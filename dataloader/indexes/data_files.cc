#include "dataloader/indexes/data_files.h"

#include <algorithm>

#include "dataloader/error.h"
#include "dataloader/indexes/index_name.h"

namespace carrack::data {
namespace {

// Returns the file of this URL; nullptr if there is none. `sorted` is sorted by URL.
const Listed* find(const std::vector<Listed>& sorted, const std::string& url) {
  const auto found = std::ranges::lower_bound(sorted, url, {}, &Listed::url);
  return found != sorted.end() && found->url == url ? &*found : nullptr;
}

// Returns the indexes next to the files. If they cannot be listed, logs that and returns none: they can be built again.
std::vector<Listed> indexes_beside(Storage& storage, const std::string& pattern, const Log& log) {
  try {
    return storage.list(index_beside(pattern));
  } catch (const Error& error) {
    log("does not look for indexes next to the data: " + std::string(error.what()));
    return {};
  }
}

}  // namespace

std::vector<DataFile> data_files(Storage& storage, const std::string& pattern, const Log& log) {
  const std::vector<Listed> all = storage.list(pattern);
  if (all.empty()) return {};
  const std::vector<Listed> indexes = indexes_beside(storage, pattern, log);
  std::vector<DataFile> files;
  for (const Listed& one : all) {
    // The pattern may also match the index or the column names of a data file. These are left out.
    if (find(all, described_file_name(one.url)) != nullptr) continue;
    const Listed* index = find(indexes, index_beside(one.url));
    files.push_back({one, index == nullptr ? std::nullopt : std::optional(*index)});
  }
  return files;
}

}  // namespace carrack::data
