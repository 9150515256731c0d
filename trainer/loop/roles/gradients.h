// Computes the gradients of a worker's lanes of one batch: reads their records, runs the model over them, and sums.
// All lanes, or all of a subtree if the servers add in the tree, are computed as one; with `deterministic` their sums
// are those of single lanes, added along the tree. Not thread-safe.
#pragma once

#include <variant>
#include <vector>

#include "trainer/comm/protocol/worker.h"
#include "trainer/execution/executor.h"
#include "trainer/loop/data/training_data.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

class LaneGradients {
 public:
  // Computes on so many threads, one of which is the caller's.
  LaneGradients(const Setup& setup, TrainingData data, const Training& training, int threads);

  const TrainingData& data() const { return data_; }
  // Throws Error, with Blame::user, for a record that cannot be used, unless such are skipped, or whose loss is not
  // finite.
  std::variant<std::vector<Gradient>, JobEnded> compute(const Worker::Compute& compute, const Floats& parameters);

 private:
  // Throws for the first record whose loss alone is not finite, if there is one.
  void refuse_record(const data::Batch& batch, const Floats& parameters);
  Gradient sum_over(const data::Batch& batch, data::Range rows, const LaneEnds& lane_ends, const Floats& parameters);
  // Returns the loss of the rows.
  float run(const data::Batch& batch, data::Range rows, const LaneEnds& lane_ends, const Floats& parameters,
            Floats& sum);
  Gradient sum_of_subtree(const data::Batch& batch, Subtree lanes, std::size_t first_lane, const Floats& parameters);

  TrainingData data_;
  cpu::ThreadPool threads_;
  Executor executor_;
  std::size_t size_;
  std::vector<std::size_t> row_sizes_;  // values of a row, by feature
  Training training_;
  std::vector<UpdatePart> parts_;  // of the whole buffer, as are the blocks
  std::vector<Range> blocks_;
  Draws draws_;                             // of the batch that is computed
  std::vector<std::uint64_t> row_numbers_;  // in that batch; empty if no record of it is left out
};

}  // namespace carrack::train
