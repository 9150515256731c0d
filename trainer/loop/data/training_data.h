// The batches that a worker trains on, by step over all epochs, whether or not the first epoch is a first pass over
// data that is not indexed. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "dataloader/pipeline/lanes/first_pass_batches.h"
#include "trainer/loop/data/data_start.h"
#include "trainer/loop/data/skipped_log.h"
#include "trainer/loop/data/wait_time.h"

namespace carrack::train {

// The step that was to be read is behind the end of the job, which has `steps` steps.
struct JobEnded {
  std::uint64_t steps = 0;
};

class TrainingData {
 public:
  // All but `data` must outlive this.
  TrainingData(JobData data, const Launch& launch, const Setup& setup, const RoleContext& context);

  // The same in every process of the job.
  const std::string& order() const { return order_.text; }
  const data::Storages& storages() const { return context_.storages; }
  // No batch has more records.
  std::uint64_t batch_records_max() const { return batch_records_max_; }
  // Waits until read() would not block, but not longer than until `deadline`. False if it still would. Always
  // false for a job that began with a first pass, which may block at each step.
  bool wait_until_read(const BatchRequest& request, std::chrono::steady_clock::time_point deadline) const;
  // How many batches behind the one that is read are read ahead.
  std::size_t batches_ahead_max() const { return indexed_ ? indexed_->batches_ahead_max() : 0; }

  struct Step {
    data::Batch batch;
    bool first_pass = false;  // the step is one of the first pass
  };
  // To be called once the parameters of the step are there: only then is it known whether the first pass is over.
  // Throws Error, with Blame::user, for a record that cannot be used, unless such are skipped.
  std::variant<Step, JobEnded> read(const BatchRequest& request);

  // How long read() and wait_until_read() have taken in all, the call that is under way included. Any thread may call
  // this.
  std::chrono::nanoseconds waited() const { return waited_->so_far(); }
  // Whether one of them is under way. Likewise.
  bool is_waiting() const { return waited_->is_under_way(); }

 private:
  std::variant<Step, JobEnded> read_step(const BatchRequest& request);
  std::variant<Step, JobEnded> read_after_first_pass(const BatchRequest& request);

  const Launch& launch_;
  const Setup& setup_;
  const RoleContext& context_;
  std::optional<data::FirstPassBatches> first_pass_;
  std::optional<data::FirstPass::Totals> first_pass_totals_;  // once the pass is over
  std::unique_ptr<Input> indexed_;                            // once all files are indexed
  Order order_;
  std::uint64_t batch_records_max_;
  SkippedLog skipped_log_;
  std::unique_ptr<WaitTime> waited_ = std::make_unique<WaitTime>();  // does not move with this
};

}  // namespace carrack::train
