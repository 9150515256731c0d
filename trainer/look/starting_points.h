// Checks that the checkpoints and weights from which a job starts can be found, for `carrack validate` and `carrack
// run`. Reads no tensors.
#pragma once

#include <string>
#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/look/data_files_check.h"

namespace carrack::train {

// Returns a problem for each of these fields of the manifest whose path or URL cannot be read, or does not have the
// checkpoint or weights: checkpoint.folder, checkpoint.resume and training.initialWeights.from. Empty if there are
// none. A checkpoint.folder without a checkpoint is not a problem. If it has one, the other two fields are not checked,
// because a job that continues from it does not use them. They are checked if that checkpoint is of another job and
// checkpoint.onTaken is Replace, because this job then starts anew. `job_uid` is empty if the job has no UID yet. Skips
// each URL for which `may_read` returns false. Does not throw if a storage fails: that is a problem in the result.
std::vector<LookProblem> look_at_starting_points(const Config& config, const std::string& job_uid,
                                                 const data::Storages& storages, const MayRead& may_read);

}  // namespace carrack::train
