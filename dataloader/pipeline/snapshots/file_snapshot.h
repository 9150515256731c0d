// open_file_snapshot(): for a training job with a snapshot stage, a filtered copy of its TFRecord files in a folder.
// File i of the snapshot has the records of source file i that pass all filters, unchanged and in their order. All
// members of a job call this and write the copy together without waiting for each other: each writes its own share of
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
  // How often to list the files that other processes have written: for on_progress, and to stop writing those files
  // here.
  std::chrono::milliseconds poll_interval{10'000};
  Log log = [](const std::string&) {};
  // Called with what all processes have done, from any thread, one call at a time, while files are written. Not called
  // if the snapshot exists.
  std::function<void(const IndexingProgress&)> on_progress = [](const IndexingProgress&) {};
  // Called from any thread after each file of the snapshot that was written, found or opened. Must not be empty or
  // throw.
  std::function<void()> on_file = [] {};
};

// Writes the files of the snapshot that are missing, which blocks, and returns all its files, one for each of `files`.
// With OnDamage::stop returns instead the fault of a record that cannot be used, even if the record was left out when
// the snapshot was written. With `skip` logs how many records were left out, and returns a fault only if a file has
// changed or is of another kind. Throws Refused if the snapshot is damaged, and an Error if storage fails. The storages
// must outlive the result.
std::variant<std::vector<IndexedFile>, Corrupt> open_file_snapshot(const std::vector<Listed>& files,
                                                                   const StorageFor& storage_for,
                                                                   const FileSnapshotOptions& options);

}  // namespace carrack::data
