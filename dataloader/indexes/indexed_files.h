// indexed_files(): returns the files of a data set with their indexes, and builds the missing indexes. An index says
// where each record begins, so that records can be read in any order. Indexes are found next to the files, in a folder
// that the members (processes) of a job share, in that of the job that it resumes from, or in a cache of this machine.
// In a job the coordinator and each worker call this function, and each builds a part of the missing indexes. No member
// waits long for another member, which may have died, and all end with the same indexes. A pipeline (Dataset::records)
// calls it, too.
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

// Returns the storage of a URL; throws an Error if there is none. The storage must outlive the KnownIndexes and
// IndexedFiles that read from it. Called from several threads at the same time.
using StorageFor = std::function<Storage&(const std::string& url)>;

// Where indexes are found, and how missing ones are built.
struct IndexingOptions {
  // URLs of folders of indexes, without a slash at their end; empty: there is no such folder.
  std::string shared = {};   // of all members of the job; indexes that are built here are written to it
  std::string cache = {};    // of this machine; indexes that are built here are written to it
  std::string resumed = {};  // of the job that this one resumes from; only read, never written
  Share share = {};          // which files this member indexes first
  Log log = [](const std::string&) {};
  // Called while indexes are built, as the `report` of BuildProgress: from any thread, one call at a time. Not called
  // if no index is missing. Must not be empty or throw.
  std::function<void(const IndexingProgress&)> on_progress = [](const IndexingProgress&) {};
  // Called from any thread after each look for the index of a file in one place, whether or not it is there, by the
  // constructor and refresh() of KnownIndexes. Must not be empty or throw.
  std::function<void()> on_look_up = [] {};
  DamagedFile damage = DamagedFile::refused;  // what to do with a file that has damaged lengths or compressed data
  std::size_t files_at_once = 4;              // number of files that are indexed at the same time, on a thread each
  // How long this member waits, after its own share, for a new index from other members, in addition to the time that
  // indexing the largest missing file is expected to take. The time starts again with each new index. After that it
  // builds all missing indexes. Without `shared` it does not wait.
  std::chrono::milliseconds patience{1000};
};

class KnownIndexes;

// Returns `files` in their order, each with its index; or the fault of a file that cannot be indexed, such as one that
// holds no TFRecords, or has damaged lengths or compressed data that options.damage does not permit. Blocks while
// indexes are built, which reads these files completely. Throws an Error if a file cannot be read; failures of the
// folders of indexes are only logged.
std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(const StorageFor& storage_for,
                                                              const std::vector<DataFile>& files,
                                                              const IndexingOptions& options);
// Does the same for the files of `known`, which must have been made with the same options.
std::variant<std::vector<IndexedFile>, Corrupt> indexed_files(KnownIndexes known, const IndexingOptions& options);

}  // namespace carrack::data
