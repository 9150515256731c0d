// SplitExecutor: computes the gradients of a worker's batch, or its lanes of the batch, on the CPU or on all GPUs of
// the worker at the same time. It divides the records into parts, runs an Executor on each processor for one part after
// the other, and adds up the gradients. Parts also allow batches whose intermediate results do not fit into the memory
// of a GPU. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trainer/execution/executor.h"

namespace carrack::train {

// How many records one processor computes at once, in one part. Memory for `planned` records is allocated at the start.
// A run with larger parts allocates more, but not for more than `max` records. If a GPU has no room for a part, both
// become half of its records, but at least `min`, and the run begins again; a part of at most `min` records is not
// divided.
struct RowsAtOnce {
  std::int64_t min = 1;  // with lanes, at least the records of any lane
  std::int64_t planned = 1;
  std::int64_t max = 1;  // at least `planned`, and with lanes at least `min`
};

class SplitExecutor {
 public:
  // Needs at least one processor. The first one divides the work of its kernels among `threads`, if it is the CPU;
  // these must outlive this. Throws as the constructor of Executor does.
  SplitExecutor(Gradients gradients, Layout layout, RowsAtOnce rows_at_once, std::span<const Processor> processors,
                cpu::ThreadPool* threads = nullptr);
  ~SplitExecutor();

  // Does what Executor::run() does, for any number of records; options.same_parameters is ignored. With lanes the parts
  // are whole lanes, and the results have the same bits for any processors and any RowsAtOnce. Without lanes the
  // records are cut into parts of equal size; sums are added in another order, and what is computed over all rows, such
  // as the statistics of BatchNormalization, is computed over those of a part. A processor then has at least two
  // records, if there are two. Throws Error with Blame::bug if a single lane has more records than RowsAtOnce::max, and
  // otherwise as Executor does, cuda::NoRoom only if RowsAtOnce::min is reached; if several parts throw, one of their
  // exceptions.
  float run(std::span<const float> parameters, std::span<const FeatureValues> inputs, std::int64_t rows,
            std::span<float> gradient_sum, const RunOptions& options = {});

 private:
  class Branch;
  struct Call;

  float run(const Call& call, std::span<float> gradient_sum);
  void make_branches();
  void halve_or_rethrow(std::int64_t rows);

  const Gradients gradients_;
  const Layout layout_;
  RowsAtOnce rows_;  // `planned` is what there is memory for
  std::vector<Processor> processors_;
  cpu::ThreadPool* threads_;
  cpu::ThreadPool branch_threads_;                 // one for each branch
  std::vector<std::unique_ptr<Branch>> branches_;  // one for each processor
};

}  // namespace carrack::train
