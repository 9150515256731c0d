// What sums gradients over the records of a worker: the trainer itself, by the model of the job (model_gradients.h), or
// a program of the user's, which computes a model that the trainer does not know (library/exchange.h).
#pragma once

#include <cstdint>
#include <memory>

#include "dataloader/pipeline/lanes/batches.h"
#include "trainer/comm/protocol/frame.h"
#include "trainer/kernels/lanes.h"

namespace carrack::train {

// Some rows of what a worker has read of a batch.
struct StepRows {
  std::uint64_t step = 0;  // the number of the batch, from 0
  std::shared_ptr<const data::Batch> batch;
  data::Range rows;         // at least one
  LaneEnds lane_ends = {};  // of these rows, if they are to be added up by lane; only with `deterministic`
};

class RowGradients {
 public:
  struct Sum {
    std::shared_ptr<Floats> gradient;  // as long as the flat buffer; nobody else uses it
    double loss = 0;
  };

  virtual ~RowGradients() = default;

  // The sums of the gradients and losses of these rows. For one thread at a time. Throws Error, with Blame::user, for a
  // record that cannot be used.
  virtual Sum sum_over(const StepRows& of, const SharedFloats& parameters) = 0;
  // Whether sum_over() waits for a program, so that it is not for the thread that handles a role's events.
  virtual bool waits_for_program() const = 0;
  // Ends a sum_over() that waits for a program, and each later one: they throw. Any thread may call this.
  virtual void stop() = 0;
};

}  // namespace carrack::train
