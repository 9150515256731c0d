// ModelGradients: the RowGradients of usual jobs, whose model Carrack computes itself, on CPUs or GPUs. (The program of
// a model of kind Own uses Exchange in library/exchange.h instead.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/execution/split_executor.h"
#include "trainer/loop/roles/processors.h"
#include "trainer/loop/roles/row_gradients.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

class ModelGradients final : public RowGradients {
 public:
  // Runs the model on `processors`; on the CPU with `threads` threads, one of which is the caller's. `seed` is
  // training.seed, for random numbers such as those of dropout. `storages` must outlive this; it is used only for error
  // messages. `setup` need not. Throws Error: Blame::user if the trainer cannot compute the model, Blame::platform if a
  // GPU fails or has no room for the model.
  ModelGradients(const Setup& setup, const WorkerProcessors& processors, std::int64_t seed, int threads,
                 const data::Storages& storages);

  // Throws Error with Blame::user for a record that cannot be used, or whose own loss is infinite or NaN; the message
  // names the record. Throws Error with Blame::platform if the device fails. If only the sum of several losses is not
  // finite, returns that sum.
  Sum sum_over(const StepRows& of, const SharedFloats& parameters) override;
  bool waits_for_program() const override { return false; }
  void stop() override {}

 private:
  Sum run(const StepRows& of, const Floats& parameters);
  // Writes the sum to `gradient`, and returns the loss.
  float run(const StepRows& of, const Floats& parameters, Floats& gradient);
  // Throws for a record whose own loss is not finite. Returns if no single record is the cause.
  void refuse_record(const StepRows& of, const Floats& parameters);

  cpu::ThreadPool threads_;
  SplitExecutor executor_;
  std::vector<std::size_t> row_sizes_;  // number of values of a row, by feature
  std::uint64_t seed_;
  const data::Storages& storages_;
};

}  // namespace carrack::train
