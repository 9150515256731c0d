// write_snapshot(): writes the files of a snapshot from the rows of a pipeline, for snapshot_stage.cc. Several readers,
// even in different processes, may write the same snapshot at the same time; none waits for another. If the rows are a
// sequence (rows that can be read at any place), each reader first writes its own share of the files
// (OpenContext::share), then the files that are still missing. A stream cannot be divided: each reader reads all of it,
// and writes a file if it is missing when its rows are read.
#pragma once

#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/snapshot_stage.h"

namespace carrack::data {

// Writes the files that are missing in `folder`, and returns the manifest of the snapshot once all files exist. The
// manifest is not written: the caller must set its `origin`, and then call folder.put(). Throws an Error if
// - writing fails;
// - `input` has batches, has no end, takes more than options.max_bytes, or has rows of different types or of types that
//   check_writable() (row_examples.h) refuses;
// - an existing file has another number of rows than `input` has for it;
// - a row cannot be used, unless context.on_damage is `skip`;
// - a file has changed while it was read.
//
// An endless stream is recognized only if it is a StreamedSequence (opened.h). Other endless streams are written up to
// options.max_bytes.
SnapshotManifest write_snapshot(Opened input, const SnapshotFolder& folder, const SnapshotOptions& options,
                                const OpenContext& context);

}  // namespace carrack::data
