// The files of a data set with their indexes, which are found beside the files, in a folder that all members of a job
// share, or in a cache of this machine. Missing ones are built by all members together. No member waits long for
// another one, which may have died, and all end with the same indexes.
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

// Returns the storage of a URL. Storages must outlive everything that reads from them.
using StorageFor = std::function<Storage&(const std::string& url)>;

struct Indexing {
  // URLs of folders of indexes; empty for none.
  std::string shared = {};   // of all members of the job; indexes built here are written to it
  std::string cache = {};    // of this machine; written to as well
  std::string resumed = {};  // of the job that this one resumes from; only read
  Share share = {};
  Log log = [](const std::string&) {};
  // Called while indexes are built.
  std::function<void(const IndexingProgress&)> on_progress = [](const IndexingProgress&) {};
  Damage damage = Damage::refused;
  std::size_t files_at_once = 4;
  // After this time without a new index from other members, plus the time that the largest missing file takes, this
  // member builds theirs.
  std::chrono::milliseconds patience{1000};
};

class KnownIndexes;

// Returns the files in their order, or the fault of a file that cannot be indexed; if there are several such files, it
// is unspecified which. Blocks while indexes are built. Throws an Error if storage fails.
std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(const StorageFor& storage_for,
                                                              const std::vector<DataFile>& files,
                                                              const Indexing& options);
// The same, from indexes that have been looked up with the same options.
std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(KnownIndexes known, const Indexing& options);

}  // namespace carrack::data
