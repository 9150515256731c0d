// The files of a snapshot from the rows of a pipeline. Of a sequence each reader begins with a share of them and then
// makes whatever is missing, waiting for nobody; of a stream each makes all that are missing, in turn.
#pragma once

#include "dataloader/pipeline/snapshots/snapshot.h"
#include "dataloader/pipeline/snapshots/snapshot_folder.h"
#include "dataloader/pipeline/stages/plan.h"

namespace carrack::data {

// Returns once all are there; what they are, without an origin. Throws an Error for what cannot be written, and for a
// row that cannot be used, unless those are skipped.
SnapshotManifest write_snapshot(Opened from, const SnapshotFolder& folder, const SnapshotOptions& options,
                                const OpenContext& context);

}  // namespace carrack::data
