// Sums gradients over rows by running the model of the job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataloader/storage/storages.h"
#include "trainer/execution/executor.h"
#include "trainer/loop/roles/row_gradients.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

class ModelGradients final : public RowGradients {
 public:
  // Runs the model on `device` and `threads` CPU threads, one of which is the caller's. sum_over() takes at most
  // `rows_max` rows. `storages` must outlive this. Throws Error: Blame::user if the trainer cannot compute the model or
  // the device has no room for it, Blame::platform if the device fails.
  ModelGradients(const Setup& setup, std::uint64_t rows_max, std::int64_t seed, Device device, int threads,
                 const data::Storages& storages);

  // Throws Error with Blame::user for a record that cannot be used, or whose own loss is not finite; with
  // Blame::platform if the device fails. A loss that is not finite only as the sum of several records is returned.
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
  Executor executor_;
  std::vector<std::size_t> row_sizes_;  // number of values of a row, by feature
  std::uint64_t seed_;
  const data::Storages& storages_;
};

}  // namespace carrack::train
