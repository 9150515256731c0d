// Sums gradients over rows by running the model of the job over them.
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
  // Computes on the device, and of the CPU on so many threads, one of which is the caller's; of no more than `rows_max`
  // rows at once. `storages` must outlive this. Throws Error, with Blame::user, for a model that the trainer cannot
  // compute, and another one if the device fails.
  ModelGradients(const Setup& setup, std::uint64_t rows_max, std::int64_t seed, Device device, int threads,
                 const data::Storages& storages);

  // Throws Error, with Blame::user, for a record that cannot be used, or whose loss is not finite.
  Sum sum_over(const StepRows& of, const SharedFloats& parameters) override;
  bool waits_for_program() const override { return false; }
  void stop() override {}

 private:
  Sum run(const StepRows& of, const Floats& parameters);
  // Returns the loss.
  float run(const StepRows& of, const Floats& parameters, Floats& gradient);
  // Throws for the first record whose loss alone is not finite, if there is one.
  void refuse_record(const StepRows& of, const Floats& parameters);

  cpu::ThreadPool threads_;
  Executor executor_;
  std::vector<std::size_t> row_sizes_;  // values of a row, by feature
  std::uint64_t seed_;
  const data::Storages& storages_;
};

}  // namespace carrack::train
