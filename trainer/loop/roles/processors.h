// Chooses whether a worker computes on its CPUs or on GPUs of its machine, and how many records it computes at once.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/execution/split_executor.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

struct WorkerProcessors {
  std::vector<Processor> all;  // the CPU alone, or the GPUs of this worker
  RowsAtOnce rows_at_once;     // how many records each of them computes at once
};

// Returns the CPU if the job's workers have no GPUs, otherwise as many GPUs as spec.replicas.worker specifies. `rows`
// is the maximum number of records of a batch that the worker computes. If the free memory of a GPU is too small for
// its share of a batch (planned_gpu_share()), logs that, and the share is computed in parts. Throws Error:
// - with Blame::user if a GPU is too small for the fewest records that can be computed at once, or in a build without
//   CUDA;
// - with Blame::platform if only the GPU memory that is free now is too small for them, if the process sees fewer GPUs
//   than the job specifies, or if a GPU fails.
WorkerProcessors choose_processors(const Launch& launch, const Setup& setup, const RoleContext& context,
                                   std::int64_t rows);

}  // namespace carrack::train
