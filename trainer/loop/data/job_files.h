// Finds the training files of a job. Records can be read in any order only from files with an index, which says where
// each record begins. So before training, coordinator and workers together build the missing indexes of the files that
// the manifest names or, if its stages have a snapshot, write the files of the snapshot, which have indexes. A job with
// a first pass (data_start.h) builds indexes during that instead.
#pragma once

#include <functional>
#include <vector>

#include "dataloader/indexes/build_progress.h"
#include "dataloader/indexes/indexed_file.h"
#include "dataloader/indexes/known_indexes.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// The files that the manifest names, and those of their indexes that exist.
struct JobFiles {
  data::KnownIndexes known;
  std::vector<std::size_t> in_set;  // number of files in each set of the mix; without a mix there is one set
};

// Finds the training files that the manifest names, and their existing indexes. Builds none. Throws Error with
// Blame::user if a pattern of training files matches no file, or if a pattern of training or evaluation files may match
// files that the job itself writes; data::Error if the storage fails.
JobFiles job_files(const Launch& launch, const RoleContext& context);

// The files of one set of the mix, each with its index.
using FileSet = std::vector<data::IndexedFile>;
// Returns a list with this set alone, as for a job without a mix.
std::vector<FileSet> one_set(FileSet files);

// Returns the result of job_files() with all indexes; blocks until they exist. Each process builds missing indexes of
// its share of the files first, and then all that are still missing, so it does not wait for a process that has ended.
// The coordinator and the first workers.min workers have a share. `built` is called with the progress, from any thread,
// one call at a time. Throws Error with Blame::user for a file that cannot be indexed, data::Error if the storage
// fails.
std::vector<FileSet> indexed_files(
    JobFiles files, const Launch& launch, const RoleContext& context,
    const std::function<void(const data::IndexingProgress&)>& built = [](const data::IndexingProgress&) {});

// For a job with a snapshot among its stages, instead of job_files() and indexed_files(). Returns the files of the
// snapshot as one set, in the order of the files that the manifest names; blocks until all are written. Each process
// writes its share first, and then all that are not finished. The first workers.min workers have a share. `written` is
// called with the progress, from any thread, one call at a time. Throws Error with Blame::user as job_files() does, for
// a record that cannot be used, unless onDamage is skip, and for a file that has changed or cannot be read as records;
// data::Error if the storage fails.
std::vector<FileSet> snapshot_files(
    const Launch& launch, const RoleContext& context,
    const std::function<void(const data::IndexingProgress&)>& written = [](const data::IndexingProgress&) {});

}  // namespace carrack::train
