// Writes the files of a snapshot from the rows of a pipeline. Several readers, also of different processes, may write
// the same snapshot at once; none waits for another. From a sequence, each writes its own share of the files first
// (OpenContext::share), then the files that are still missing. A stream cannot be divided: each reader reads it from
// the front and writes the files that are missing when it comes to them.
#pragma once

#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/snapshot_stage.h"

namespace carrack::data {

// Writes the missing files and returns the manifest of the snapshot once all files exist. The caller fills in its
// `origin` and stores it. Throws an Error if writing fails; if `input` has batches, has no end, has rows of different
// types or takes more than options.max_bytes; if an existing file has another number of rows than `input` has for it;
// and for an unusable row unless context.on_damage is `skip`. A file that changed while it was read is an Error in any
// case. An endless stream is noticed only if it reads a sequence in turn; others are written until options.max_bytes.
SnapshotManifest write_snapshot(Opened input, const SnapshotFolder& folder, const SnapshotOptions& options,
                                const OpenContext& context);

}  // namespace carrack::data
