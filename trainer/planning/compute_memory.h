// Computes how much memory a worker needs on the CPU for intermediate results while it computes the gradients of a
// batch, in addition to parameters, gradients and the batch, and how much inference needs. A part of memory_need.h.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/models/model.h"

namespace carrack::train {

// All members are in bytes. They are doubles, because a plan may be for more memory than any machine has.
struct ComputeMemory {
  double arena = 0;  // the results of all operators of the model
  // What kernels retain from step to step: copies of weights, orders of rows, sums of columns.
  double retained = 0;
  double of_thread = 0;  // what each computing thread retains: packed matrices, states of recurrent layers
};

// Returns the memory for batches of up to `rows` records, which may be any number that is not negative. `lanes` is the
// number of lanes (shares of a batch) by which sums are computed with `deterministic`; otherwise 0. The whole need is
// arena + retained + of_thread * number of threads. All are 0 for a model of kind Own, which the job's program
// computes.
ComputeMemory compute_memory(const ModelGraph& model, std::int64_t rows, std::int64_t lanes);

// The maximum number of records that are computed together in evaluation and prediction; enough to keep all threads
// busy.
inline constexpr std::int64_t inference_rows_max = 256;

// Returns the values that inference reads after a run, so their memory must not be reused: the output and, if losses
// are computed, the losses of the records and the target, if there is one.
std::vector<ValueId> results_of(const InferenceGraph& graph);

// Returns the memory in bytes of the results of all operators of `graph`, for `rows` records at once. Results that are
// not needed any more share memory with later ones.
std::uint64_t inference_memory(const InferenceGraph& graph, std::int64_t rows);

}  // namespace carrack::train
