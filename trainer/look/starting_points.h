// Looks at the checkpoints and weights from which a job starts.
#pragma once

#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/look/data_files_check.h"

namespace carrack::train {

// Whether checkpoint.folder can be read, and whether checkpoint.resume and training.initialWeights.from hold what their
// names say, as far as they are to be looked at. A job that has committed needs neither any more. Reads no tensor.
std::vector<LookProblem> look_at_starting_points(const Config& config, const data::Storages& storages,
                                                 const IsLookedAt& is_looked_at);

}  // namespace carrack::train
