// Sums gradients over records for a worker. Either the trainer computes them with the model of the job
// (model_gradients.h), or the user's program computes a model that the trainer does not know (library/exchange.h).
#pragma once

#include <cstdint>
#include <memory>

#include "dataloader/pipeline/lanes/batches.h"
#include "trainer/comm/protocol/frame.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train {

// Some of the rows of a batch that a worker has read.
struct StepRows {
  std::uint64_t step = 0;  // the number of the batch, from 0
  std::shared_ptr<const data::Batch> batch;
  data::Range rows;         // at least one row
  LaneEnds lane_ends = {};  // ends of the lanes of these rows if they are summed by lane; only with `deterministic`
};

class RowGradients {
 public:
  struct Sum {
    std::shared_ptr<Floats> gradient;  // as long as `parameters`; nothing else refers to it
    double loss = 0;  // sum over the records; may be infinite or NaN: the coordinator then ends the job as Diverged
  };

  virtual ~RowGradients() = default;

  // Returns the sums of the gradients and losses of these rows. Call it from one thread at a time. Throws Error with
  // Blame::user for a record that cannot be used. If waits_for_program(), it also throws Error with Blame::platform if
  // the program takes too long or stop() was called, and Exchange::ProgramLeft, which is not an Error, once the program
  // has left.
  virtual Sum sum_over(const StepRows& of, const SharedFloats& parameters) = 0;
  // True if sum_over() waits for a program, so that a role must not call it on the thread that handles its events.
  virtual bool waits_for_program() const = 0;
  // Makes a sum_over() that waits for a program throw, and each later call. No effect if waits_for_program() is false.
  // Any thread may call it.
  virtual void stop() = 0;
};

}  // namespace carrack::train
