// The files that a job reads: those that its manifest names, with the indexes that say where their records are, or
// those of its snapshot.
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
  std::vector<std::size_t> in_set;  // how many of them each set of a mix has; without a mix there is one set
};

// All that the manifest names, with the indexes that are there. Throws, for the user, where there is none.
JobFiles job_files(const Launch& launch, const RoleContext& context);

using FileSet = std::vector<data::IndexedFile>;
std::vector<FileSet> one_set(FileSet files);

// The same, set by set, each with its index. Those that are missing are built by all who call this, each its share;
// `built` is told how far that is. Throws, for the user, for a file that cannot be indexed.
std::vector<FileSet> indexed_files(
    JobFiles files, const Launch& launch, const RoleContext& context,
    const std::function<void(const data::IndexingProgress&)>& built = [](const data::IndexingProgress&) {});

// Those of the snapshot of the manifest's stages, one set, in the order of the files that it names. What is not there
// yet is written by all who call this, each its share; `written` is told how far that is. Throws, for the user, for a
// record that cannot be used.
std::vector<FileSet> snapshot_files(
    const Launch& launch, const RoleContext& context,
    const std::function<void(const data::IndexingProgress&)>& written = [](const data::IndexingProgress&) {});

}  // namespace carrack::train
