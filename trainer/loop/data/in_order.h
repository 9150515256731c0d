// The training data of a job as one process reads all of it: by the stages of the manifest, but without caches,
// without a repeat at the end, and without shuffles.
#pragma once

#include <cstdint>
#include <memory>

#include "trainer/loop/data/input.h"

namespace carrack::train {

enum class Shuffles {
  left_out,           // so that records come in the order of the files
  where_they_choose,  // left out only where they do not change which records an epoch has
};

// One epoch, in batches of `batch` records with one lane. Builds missing indexes, and a missing snapshot, where the job
// would. Throws as job_files() and Input().
std::unique_ptr<Input> open_in_order(Launch launch, const Setup& setup, const RoleContext& context, std::int64_t batch,
                                     Shuffles shuffles);

}  // namespace carrack::train
