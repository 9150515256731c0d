// Chooses on what a worker computes: on its CPUs, or on GPUs that this process sees.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/execution/split_executor.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

struct WorkerProcessors {
  std::vector<Processor> all;
  RowsAtOnce rows_at_once;
};

// `rows` is the maximum number of records of a batch that the worker computes. If the free memory of a GPU is too small
// for its share of a batch (planned_gpu_share()), a line in the log says so, and the share is computed in parts.
// Throws Error: with Blame::user if the GPU is too small for the fewest records that can be computed at once, or in a
// build without CUDA; with Blame::platform if only the memory that is free now is too small for them, if there are
// fewer GPUs than the job's spec.replicas.worker asks for, or if one fails.
WorkerProcessors choose_processors(const Launch& launch, const Setup& setup, const RoleContext& context,
                                   std::int64_t rows);

}  // namespace carrack::train
