// Computes the gradients of a worker's lanes of one batch: reads their records, and has them summed. All lanes, or all
// of a subtree if the servers add in the tree, are computed as one; with `deterministic` their sums are those of single
// lanes, added along the tree. Not thread-safe.
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
  LaneGradients(const Setup& setup, TrainingData data, const Training& training, std::shared_ptr<RowGradients> rows);

  const TrainingData& data() const { return data_; }
  bool waits_for_program() const { return rows_->waits_for_program(); }
  // Throws Error, with Blame::user, for a record that cannot be used, unless such are skipped; and what sum_over() of
  // the RowGradients throws.
  std::variant<std::vector<Gradient>, JobEnded> compute(const Worker::Compute& compute, const SharedFloats& parameters);
  // As of RowGradients.
  void stop() { rows_->stop(); }

 private:
  Gradient sum_over(const StepRows& of, const SharedFloats& parameters);
  Gradient sum_of_subtree(StepRows of, Subtree lanes, std::size_t first_lane, const SharedFloats& parameters);

  TrainingData data_;
  std::shared_ptr<RowGradients> rows_;
  std::size_t size_;
  Training training_;
  std::vector<UpdatePart> parts_;  // of the whole buffer, as are the blocks
  std::vector<Range> blocks_;
};

}  // namespace carrack::train
