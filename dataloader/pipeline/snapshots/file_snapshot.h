// Records of files that stay, written once and read from then on: file i of a snapshot holds those of file i, as they
// are and in their order. All who want it make it together, each first its share, and nobody waits for anybody. Indexes
// are not needed, and compressed files may be among them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/indexes/indexed_files.h"
#include "dataloader/pipeline/snapshots/record_filter.h"

namespace carrack::data {

struct FileSnapshot {
  std::string folder = {};           // of any snapshots
  std::vector<Within> filters = {};  // one after the other
  Share share = {};
  std::size_t files_at_once = 4;
  // Looks so often what others have made: to tell of it, and to leave a file that somebody else was faster at.
  std::chrono::milliseconds look_every{10'000};
  Log log = [](const std::string&) {};
  std::function<void(const IndexingProgress&)> written = [](const IndexingProgress&) {};  // told while it is made, of what all have done
};

// The snapshot's files in the order of `files`, or the first record that cannot be used.
std::variant<std::vector<IndexedFile>, Corrupt> snapshot_of(const std::vector<Listed>& files,
                                                            const StorageFor& storage_for, const FileSnapshot& how);

}  // namespace carrack::data
