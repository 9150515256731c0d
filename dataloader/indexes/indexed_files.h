// The files of a data set with their indexes, which are found next to the files, in folders that members of a job
// share, or in a cache of this machine. All members together build the missing indexes. No member waits long for
// another member, which may have died, and all end with the same indexes.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/indexes/build_progress.h"
#include "dataloader/indexes/data_files.h"
#include "dataloader/indexes/indexed_file.h"
#include "dataloader/indexes/shares.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

// Returns the storage of a URL. The storage must outlive everything that reads from it. Called from several threads at
// once.
using StorageFor = std::function<Storage&(const std::string& url)>;

struct Indexing {
  // URLs of folders of indexes, without a slash at their end; empty for none.
  std::string shared = {};   // of all members of the job; indexes built here are written to it
  std::string cache = {};    // of this machine; indexes built here are written to it, too
  std::string resumed = {};  // of the job that this one resumes from; only read
  Share share = {};          // which files this member indexes first
  Log log = [](const std::string&) {};
  // Called while indexes are built, as BuildProgress does.
  std::function<void(const IndexingProgress&)> on_progress = [](const IndexingProgress&) {};
  Damage damage = Damage::refused;
  std::size_t files_at_once = 4;  // files that are indexed at the same time
  // How long this member waits, after its own share, for a new index from other members, besides the time that indexing
  // the largest missing file is expected to take. After that it builds their indexes.
  std::chrono::milliseconds patience{1000};
};

class KnownIndexes;

// Returns the files in their order, or the fault of a file that cannot be indexed; if there are several such files, the
// fault of any of them. Blocks while indexes are built. Throws an Error if storage fails.
std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(const StorageFor& storage_for,
                                                              const std::vector<DataFile>& files,
                                                              const Indexing& options);
// Does the same with indexes that have been looked up with the same options.
std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(KnownIndexes known, const Indexing& options);

}  // namespace carrack::data
