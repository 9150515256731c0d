// Computes how much memory a worker needs to compute the gradients of a batch on the CPU, in addition to parameters,
// gradients and the batch, and how much inference needs. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/models/model.h"

namespace carrack::train {

// All members are in bytes. They are doubles, because a plan may be for more memory than any machine has.
struct ComputeMemory {
  double arena = 0;  // the results of all operators
  double kept = 0;   // memory that kernels retain from step to step: copies of weights, orders of rows, sums of columns
  double of_thread = 0;  // memory that each computing thread retains: packed matrices, states of recurrent layers
};

// Returns the memory for batches of up to `rows` records; `rows` may be any number that is not negative. `lanes` is the
// number of lanes by which sums are computed, with `deterministic`; otherwise 0. The caller multiplies `of_thread` by
// the number of threads. All members are 0 for a model of kind Own, whose gradients the job's program computes.
ComputeMemory compute_memory(const ModelGraph& model, std::int64_t rows, std::int64_t lanes);

// The maximum number of records that are computed together in evaluation and prediction; enough to keep all threads
// busy.
inline constexpr std::int64_t inference_rows_max = 256;

// Returns the values that can be read after a run: the output and, if losses are computed, the losses of the records
// and the target, if there is one.
std::vector<ValueId> results_of(const InferenceGraph& graph);

// Returns the memory in bytes of the results of all operators of `graph`, for `rows` records.
std::uint64_t inference_memory(const InferenceGraph& graph, std::int64_t rows);

}  // namespace carrack::train
