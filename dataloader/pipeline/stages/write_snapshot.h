// Writes the files of a snapshot from the rows of a pipeline. Several readers share the work without waiting for each
// other: of a sequence each writes its share of the files first and then whatever is still missing; of a stream each
// writes all missing files in turn.
#pragma once

#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/pipeline/stages/opened.h"
#include "dataloader/pipeline/stages/snapshot_stage.h"

namespace carrack::data {

// Returns the manifest without an origin once all files exist. Throws an Error if writing fails, and for a row that
// cannot be used unless the context says skip_corrupt.
SnapshotManifest write_snapshot(Opened input, const SnapshotFolder& folder, const SnapshotOptions& options,
                                const OpenContext& context);

}  // namespace carrack::data
