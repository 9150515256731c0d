// The files that a job reads: those that its manifest names with their indexes, or those of its snapshot.
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
  std::vector<std::size_t> in_set;  // number of files by set of the mix; without a mix there is one set
};

// All files that the manifest names, with the indexes that exist. Throws Error, with Blame::user, if a name matches no
// file.
JobFiles job_files(const Launch& launch, const RoleContext& context);

using FileSet = std::vector<data::IndexedFile>;
std::vector<FileSet> one_set(FileSet files);

// The same files by set, each with its index. All processes that call this build the missing indexes together, each its
// share; `built` is called with the progress. Throws Error, with Blame::user, for a file that cannot be indexed.
std::vector<FileSet> indexed_files(
    JobFiles files, const Launch& launch, const RoleContext& context,
    const std::function<void(const data::IndexingProgress&)>& built = [](const data::IndexingProgress&) {});

// The files of the snapshot in the manifest's stages: one set, in the order of the files that the manifest names. All
// processes that call this write the missing ones together, each its share; `written` is called with the progress.
// Throws Error, with Blame::user, for a record that cannot be used.
std::vector<FileSet> snapshot_files(
    const Launch& launch, const RoleContext& context,
    const std::function<void(const data::IndexingProgress&)>& written = [](const data::IndexingProgress&) {});

}  // namespace carrack::train
