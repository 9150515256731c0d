// Writes the files of a snapshot from the rows of a pipeline. Several readers, also in different processes, may write
// the same snapshot at once; none waits for another. If the rows are a sequence, each reader first writes its own share
// of the files (OpenContext::share), then the files that are still missing. A stream cannot be divided: each reader
// reads all of it, and writes the files that are missing when it comes to them.
#pragma once

#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/snapshot_stage.h"

namespace carrack::data {

// Writes the missing files and returns the manifest of the snapshot once all files exist. The caller must set its
// `origin` and store it. Throws an Error if writing fails; if `input` has batches, has no end, has rows of different
// types or takes more than options.max_bytes; if an existing file has another number of rows than `input` has for it;
// and for an unusable row, unless context.on_damage is `skip`. A file that changed while it was read is always an
// Error. An endless stream is recognized only if it reads a sequence in turn; others are written up to
// options.max_bytes.
SnapshotManifest write_snapshot(Opened input, const SnapshotFolder& folder, const SnapshotOptions& options,
                                const OpenContext& context);

}  // namespace carrack::data
