// The files that a job reads: the files that its manifest names, with their indexes, or the files of its snapshot.
#pragma once

#include <functional>
#include <vector>

#include "dataloader/indexes/build_progress.h"
#include "dataloader/indexes/indexed_file.h"
#include "dataloader/indexes/known_indexes.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

struct JobFiles {
  data::KnownIndexes known;
  std::vector<std::size_t> in_set;  // the number of files of each set of the mix; without a mix there is one set
};

// Finds all files that the manifest names, and the indexes that exist. Throws Error with Blame::user if a name matches
// no file, or may match files that the job writes.
JobFiles job_files(const Launch& launch, const RoleContext& context);

using FileSet = std::vector<data::IndexedFile>;
std::vector<FileSet> one_set(FileSet files);

// Returns the same files by set, each with its index. All processes that call this build the missing indexes together,
// each its share. `built` is called with the progress. Throws Error with Blame::user for a file that cannot be indexed.
std::vector<FileSet> indexed_files(
    JobFiles files, const Launch& launch, const RoleContext& context,
    const std::function<void(const data::IndexingProgress&)>& built = [](const data::IndexingProgress&) {});

// Returns the files of the snapshot in the manifest's stages, as one set in the order of the files that the manifest
// names. All processes that call this write the missing ones together, each its share. `written` is called with the
// progress. Throws Error with Blame::user for a record that cannot be used, unless such records are skipped.
std::vector<FileSet> snapshot_files(
    const Launch& launch, const RoleContext& context,
    const std::function<void(const data::IndexingProgress&)>& written = [](const data::IndexingProgress&) {});

}  // namespace carrack::train
