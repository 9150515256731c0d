// LaneGradients: does a worker's part of a step. It reads the records of the worker's lanes (shares of a batch), and
// computes the sums of their gradients, which the worker then pushes to the parameter servers. Usually that is one sum
// over all its lanes. If the servers add gradients along the tree of lanes (kernels/lanes.h), it is one sum for each
// subtree; with `deterministic` a sum is made lane by lane along the tree, so its bits do not depend on which worker
// has which lanes. Not thread-safe, except for stop().
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "trainer/comm/protocol/worker.h"
#include "trainer/loop/data/training_data.h"
#include "trainer/loop/roles/row_gradients.h"
#include "trainer/loop/roles/watchdog.h"
#include "trainer/loop/setup/setup.h"
#include "trainer/optimizer/update_parts.h"

namespace carrack::train {

class LaneGradients {
 public:
  // `rows` computes the sums, by the job's model or the user's program (row_gradients.h); it must not be null.
  // Everything that `data` refers to, and `watchdog`, must outlive this.
  LaneGradients(const Setup& setup, TrainingData data, const Training& training, std::shared_ptr<RowGradients> rows,
                Watchdog& watchdog);

  const TrainingData& data() const { return data_; }
  // True if the user's program computes, so compute() may take long (RowGradients::waits_for_program()).
  bool waits_for_program() const { return rows_->waits_for_program(); }
  // Blocks while it reads and computes. `compute` is the command of the worker's state machine: which lanes of which
  // batch. `parameters` has the whole flat buffer. Returns one Gradient for each sum, of the size of the flat buffer,
  // or JobEnded if the batch is beyond the end of the job. A sum without records, because all were left out, is all
  // zeros. The watchdog reports if the records are not read in time. Throws Error with Blame::user for a record that
  // cannot be used, unless onDamage is skip, data::Error if the storage fails, and everything that
  // RowGradients::sum_over() throws.
  std::variant<std::vector<Gradient>, JobEnded> compute(const Worker::Compute& compute, const SharedFloats& parameters);
  // Makes compute() throw if it waits for a program (RowGradients::stop). Any thread may call it.
  void stop() { rows_->stop(); }

 private:
  std::variant<TrainingData::Step, JobEnded> read(const Worker::Compute& compute);
  Gradient sum_over(const StepRows& of, const SharedFloats& parameters);
  Gradient sum_of_subtree(StepRows of, Subtree lanes, std::size_t first_lane, const SharedFloats& parameters);

  TrainingData data_;
  std::shared_ptr<RowGradients> rows_;
  Watchdog& watchdog_;
  std::size_t size_;
  Training training_;
  std::vector<UpdatePart> parts_;  // parts of the whole buffer
  std::vector<Range> blocks_;      // blocks of the whole buffer
};

}  // namespace carrack::train
