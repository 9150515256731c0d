// Checks that the checkpoints and weights from which a job starts can be found. Reads no tensors.
#pragma once

#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/look/data_files_check.h"

namespace carrack::train {

// Returns a problem for each of checkpoint.folder, checkpoint.resume and training.initialWeights.from that cannot be
// read, or does not hold the checkpoint or weights that it names. Skips a URL for which `is_looked_at` returns false.
// Skips the last two fields if checkpoint.folder was read and has a commit, because the job then does not use them.
// Exceptions of the storage become problems.
std::vector<LookProblem> look_at_starting_points(const Config& config, const data::Storages& storages,
                                                 const IsLookedAt& is_looked_at);

}  // namespace carrack::train
