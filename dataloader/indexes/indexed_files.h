// The files of a data set with the index of each: found beside the file, in a folder that all members of a job share,
// or in a cache of this machine; else built, by all members together. Nobody waits long for another, who may be dead,
// and every member ends with the same indexes, wherever they come from.
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

// Which storage a URL belongs to; it outlives what is read from it.
using StorageFor = std::function<Storage&(const std::string& url)>;

struct Indexing {
  std::string shared = {};   // the URL of a folder; what is built is kept there; empty: nobody else builds any
  std::string cache = {};    // likewise; empty: none
  std::string resumed = {};  // likewise, where another job has kept them, and nothing is written; empty: none
  Share share = {};
  Log log = [](const std::string&) {};
  std::function<void(const IndexingProgress&)> on_progress = [](const IndexingProgress&) {};  // told while any are built
  Damage damage = Damage::refused;
  std::size_t files_at_once = 4;
  // How long nothing new may come from other members before theirs is done here, besides the time that the largest file
  // still missing takes.
  std::chrono::milliseconds patience{1000};
};

class KnownIndexes;

// In the order of the files, or the first of them that cannot be indexed.
std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(const StorageFor& storage_for,
                                                              const std::vector<DataFile>& files, const Indexing& how);
// The same of files that were looked for with the same words.
std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(KnownIndexes known, const Indexing& how);

}  // namespace carrack::data
