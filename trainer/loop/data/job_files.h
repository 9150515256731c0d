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

// Files and their indexes, as far as these exist.
struct JobFiles {
  data::KnownIndexes known;
  std::vector<std::size_t> in_set;  // number of files in each set of the mix; without a mix there is one set
};

// Finds the training files that the manifest names, and those indexes that exist. Throws Error with Blame::user if a
// pattern of training files matches no file, or if one of training or evaluation may match files that the job writes.
JobFiles job_files(const Launch& launch, const RoleContext& context);

using FileSet = std::vector<data::IndexedFile>;
// Returns a list with this set alone.
std::vector<FileSet> one_set(FileSet files);

// Returns the same files by set, each with its index; blocks until all indexes exist. The coordinator and the first
// workers.min workers each build the missing indexes of a share of the files first, and then all that are still
// missing, so that none depends on a process that has ended. `built` is called with the progress, from any thread, one
// call at a time. Throws Error with Blame::user for a file that cannot be indexed.
std::vector<FileSet> indexed_files(
    JobFiles files, const Launch& launch, const RoleContext& context,
    const std::function<void(const data::IndexingProgress&)>& built = [](const data::IndexingProgress&) {});

// Returns the files of the snapshot in the manifest's stages, which must have one, as one set in the order of the files
// that the manifest names; blocks until all are written. Each of the first workers.min workers writes a share first;
// then it, and every other process from its start, writes the files that are not finished. `written` is called with the
// progress, from any thread, one call at a time. Throws Error with Blame::user as job_files() does, and for a record
// that cannot be used, unless such records are skipped.
std::vector<FileSet> snapshot_files(
    const Launch& launch, const RoleContext& context,
    const std::function<void(const data::IndexingProgress&)>& written = [](const data::IndexingProgress&) {});

}  // namespace carrack::train
