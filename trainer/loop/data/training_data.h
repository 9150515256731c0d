// The batches that a worker trains on, step by step over all epochs, whether or not the first of them is a first pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "dataloader/pipeline/lanes/first_pass_batches.h"
#include "trainer/loop/data/data_start.h"

namespace carrack::train {

// The job has so many steps, and the one asked for is none of them.
struct JobEnded {
  std::uint64_t steps = 0;
};

class TrainingData {
 public:
  // All but `data` outlive this.
  TrainingData(JobData data, const Launch& launch, const Setup& setup, const RoleContext& context);

  // As every member of the job has it.
  const std::string& contents() const { return contents_; }
  // Of any batch, as far as is known.
  std::uint64_t most_records() const { return most_records_; }

  struct Step {
    data::Batch batch;
    bool first_pass = false;  // It is one of it.
  };
  // To be asked for a step once its parameters are there. Throws, for the user, for a record that cannot be used.
  std::variant<Step, JobEnded> read(std::uint64_t step, data::Range lanes);

 private:
  std::variant<Step, JobEnded> read_behind_first_pass(std::uint64_t step, data::Range lanes);

  const Launch& launch_;
  const Setup& setup_;
  const RoleContext& context_;
  std::optional<data::FirstPassBatches> first_pass_;
  std::optional<data::FirstPass::Totals> first_pass_had_;  // once it is over
  std::unique_ptr<Input> indexed_;                         // once there are indexes
  std::string contents_;
  std::uint64_t most_records_;
};

}  // namespace carrack::train
