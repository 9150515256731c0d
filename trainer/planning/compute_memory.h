// The memory in which a worker computes the gradients of a batch, beside parameters, gradients and the batch. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/models/model.h"

namespace carrack::train {

// In bytes.
struct ComputeMemory {
  double arena = 0;      // of the results of all operators
  double kept = 0;       // what kernels keep from one step to the next: copies of weights, orders of rows
  double of_thread = 0;  // what each thread keeps that computes: packed parts of matrices, states of recurrent layers
};

// For batches of up to `rows` records, where `rows` may be more than any machine could hold. The caller multiplies
// `of_thread` by the number of threads. All 0 for an own model, whose gradients the job's program computes.
ComputeMemory compute_memory(const ModelGraph& model, std::int64_t rows, bool deterministic);

// How many records are computed at once where nothing is trained, which is enough for all threads.
inline constexpr std::int64_t inference_rows_max = 256;

// The values that outlive a run: the output, and if losses are computed those of the records and their target.
std::vector<ValueId> results_of(const InferenceGraph& graph);

// Bytes of the results of all operators that compute outputs.
std::uint64_t inference_memory(const InferenceGraph& graph, std::int64_t rows);

}  // namespace carrack::train
