// A snapshot of files: file i of the snapshot has the records of source file i that pass all filters, unchanged and in
// their order. All processes of a job write it together without waiting for each other: each writes its own share of
// the files first, then the files that are still missing. The source files need no indexes and may be compressed.
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

struct FileSnapshotOptions {
  std::string folder = {};                  // the URL of the folder of all snapshots
  std::vector<FeatureBounds> filters = {};  // a record must be within all of them; empty: all records pass
  // The files that this process writes first.
  Share share = {};
  std::size_t files_at_once = 4;  // maximum number of files that are written or opened at the same time
  OnDamage on_damage = OnDamage::stop;
  // How often to list what other processes have written, for on_progress and to give up files that they have finished.
  std::chrono::milliseconds poll_interval{10'000};
  Log log = [](const std::string&) {};
  // Called with what all processes have done, from any thread, one call at a time, while files are written. Not called
  // if the snapshot exists.
  std::function<void(const IndexingProgress&)> on_progress = [](const IndexingProgress&) {};
};

// Returns the files of the snapshot, in the order of `files`, after writing those that are missing, which blocks. With
// OnDamage::stop returns instead the fault of a record that cannot be used, even if it was left out when the snapshot
// was written. With `skip` returns only the fault of a file that has changed or is of another kind; the log tells how
// many records were left out. Throws Refused if the snapshot is damaged, and an Error if storage fails. The storages
// must outlive the result.
std::variant<std::vector<IndexedFile>, Corrupt> open_file_snapshot(const std::vector<Listed>& files,
                                                                   const StorageFor& storage_for,
                                                                   const FileSnapshotOptions& options);

}  // namespace carrack::data
