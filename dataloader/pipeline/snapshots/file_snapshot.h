// A snapshot of files: file i of the snapshot holds the records of source file i that pass all filters, unchanged and
// in order. All processes of a job write it together without waiting for each other, each its share of the files first.
// The source files need no indexes and may be compressed.
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
  std::vector<FeatureBounds> filters = {};  // a record must pass all
  Share share = {};
  std::size_t files_at_once = 4;
  OnDamage on_damage = OnDamage::stop;
  // How often to list what others have written: for on_progress, and to abandon a file that another process finished.
  std::chrono::milliseconds poll_interval{10'000};
  Log log = [](const std::string&) {};
  // Called while the snapshot is written, with what all processes have done. By one thread at a time.
  std::function<void(const IndexingProgress&)> on_progress = [](const IndexingProgress&) {};
};

// Returns the snapshot's files in the order of `files`. Writes what is missing. With OnDamage::stop returns the first
// record that cannot be used instead, also one that was left out when the snapshot was written; with `skip` a file that
// has changed or is of another kind.
std::variant<std::vector<IndexedFile>, Corrupt> open_file_snapshot(const std::vector<Listed>& files,
                                                                   const StorageFor& storage_for,
                                                                   const FileSnapshotOptions& options);

}  // namespace carrack::data
