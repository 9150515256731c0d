// Computes the gradients of a worker's lanes of one batch: reads their records, and has the gradients summed. All
// lanes, or all lanes of a subtree if the servers add along the tree, are summed in one computation. With
// `deterministic` the sum is that of the single lanes, added along the tree. Not thread-safe, except for stop().
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "trainer/comm/protocol/worker.h"
#include "trainer/loop/data/training_data.h"
#include "trainer/loop/roles/row_gradients.h"
#include "trainer/loop/setup/setup.h"
#include "trainer/optimizer/update_parts.h"

namespace carrack::train {

class LaneGradients {
 public:
  // Everything that `data` refers to must outlive this. `rows` must not be null.
  LaneGradients(const Setup& setup, TrainingData data, const Training& training, std::shared_ptr<RowGradients> rows);

  const TrainingData& data() const { return data_; }
  bool waits_for_program() const { return rows_->waits_for_program(); }
  // Returns the gradients for a Worker::Compute, or JobEnded if the batch is beyond the end of the job. Throws Error
  // with Blame::user for a record that cannot be used, unless such records are skipped, data::Error if the storage
  // fails, and everything that RowGradients::sum_over() throws.
  std::variant<std::vector<Gradient>, JobEnded> compute(const Worker::Compute& compute, const SharedFloats& parameters);
  // Makes compute() throw if it waits for a program (RowGradients::stop). Any thread may call it.
  void stop() { rows_->stop(); }

 private:
  Gradient sum_over(const StepRows& of, const SharedFloats& parameters);
  Gradient sum_of_subtree(StepRows of, Subtree lanes, std::size_t first_lane, const SharedFloats& parameters);

  TrainingData data_;
  std::shared_ptr<RowGradients> rows_;
  std::size_t size_;
  Training training_;
  std::vector<UpdatePart> parts_;  // parts of the whole buffer
  std::vector<Range> blocks_;      // blocks of the whole buffer
};

}  // namespace carrack::train
