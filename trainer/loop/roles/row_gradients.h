// RowGradients: the interface by which a worker computes gradients of records (rows). ModelGradients
// (model_gradients.h) computes them with the job's model. Exchange (library/exchange.h) passes the records to the
// user's program instead, for a model of kind Own, which the trainer does not know.
#pragma once

#include <cstdint>
#include <memory>

#include "dataloader/pipeline/lanes/batches.h"
#include "trainer/comm/protocol/frame.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train {

// Which rows to compute: a range of the rows of a batch that a worker has read.
struct StepRows {
  std::uint64_t step = 0;  // the number of the batch, from 0
  std::shared_ptr<const data::Batch> batch;
  data::Range rows;  // indexes in `batch`; at least one row
  // With `deterministic`, a view of the ends of the lanes (shares of a batch) in `rows`, by which they are summed.
  LaneEnds lane_ends = {};
};

class RowGradients {
 public:
  struct Sum {
    std::shared_ptr<Floats> gradient;  // the sum over the rows, as long as `parameters`; the caller may change it
    double loss = 0;  // sum over the records; may be infinite or NaN: the coordinator then ends the job as Diverged
  };

  virtual ~RowGradients() = default;

  // Returns the sums (not the means) of the gradients and losses of these rows. `parameters` are all parameters of the
  // model. Blocks until they are computed. Call it from one thread at a time. Throws Error with Blame::user for a
  // record that cannot be used, and with Blame::platform if a GPU fails. If waits_for_program(), it also throws Error
  // with Blame::platform if the program takes too long or stop() was called, and Exchange::ProgramLeft, which is not an
  // Error, once the program has left.
  virtual Sum sum_over(const StepRows& of, const SharedFloats& parameters) = 0;
  // True if sum_over() waits for the user's program, which may take long. A role must then not call it on the thread
  // that handles its events.
  virtual bool waits_for_program() const = 0;
  // Makes the sum_over() that waits for a program throw, and each later call. No effect if waits_for_program() is
  // false. Any thread may call it.
  virtual void stop() = 0;
};

}  // namespace carrack::train
