// The memory in which a worker computes the gradients of a batch on the CPU, besides parameters, gradients and the
// batch. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/models/model.h"

namespace carrack::train {

// All members are bytes. They are doubles, because a plan may be for more than any machine holds.
struct ComputeMemory {
  double arena = 0;      // results of all operators
  double kept = 0;       // retained by kernels from one step to the next: copies of weights, orders of rows
  double of_thread = 0;  // retained by each computing thread: packed matrices, states of recurrent layers
};

// Returns the memory for batches of up to `rows` records, which may be any number. The caller multiplies `of_thread` by
// the number of threads. All 0 for an own model, whose gradients the job's program computes.
ComputeMemory compute_memory(const ModelGraph& model, std::int64_t rows, bool deterministic);

// The most records that are computed at once for evaluation and prediction; enough to keep all threads busy.
inline constexpr std::int64_t inference_rows_max = 256;

// Returns the values that can be read after a run: the output, and if losses are computed, the records' losses and the
// target, if there is one.
std::vector<ValueId> results_of(const InferenceGraph& graph);

// The bytes of the results of all operators of `graph`, for `rows` records.
std::uint64_t inference_memory(const InferenceGraph& graph, std::int64_t rows);

}  // namespace carrack::train
