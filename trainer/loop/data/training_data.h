// TrainingData: reads the batches that a worker trains on, by the number of the step over all epochs. If the job began
// with a first pass (a first epoch over files without an index, see data_start.h), it reads the first epoch from that,
// and later epochs from the indexes that the first pass has made. Not thread-safe, except for waited() and
// is_waiting().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "dataloader/pipeline/lanes/first_pass_batches.h"
#include "trainer/loop/data/data_start.h"
#include "trainer/loop/data/skipped_log.h"
#include "trainer/loop/data/wait_time.h"

namespace carrack::train {

// The result of read() if the step is beyond the end of the job, which has `steps` steps.
struct JobEnded {
  std::uint64_t steps = 0;
};

class TrainingData {
 public:
  // All arguments except `data` must outlive this.
  TrainingData(JobData data, const Launch& launch, const Setup& setup, const RoleContext& context);

  // The text that identifies the data and its order; the same in every process of the job (order_text.h).
  const std::string& order() const { return order_.text; }
  const data::Storages& storages() const { return context_.storages; }
  // The maximum number of records that a batch may have.
  std::uint64_t batch_records_max() const { return batch_records_max_; }
  // Waits until read() of this request would not block, but at most until `deadline`. Returns true if read() would not
  // block. Returns false immediately if the batch is not being read ahead, and for a job that began with a first pass.
  bool wait_until_read(const BatchRequest& request, std::chrono::steady_clock::time_point deadline) const;
  // The maximum number of batches that are read ahead; 0 during a first pass, and if memory is scarce.
  std::size_t batches_ahead_max() const { return indexed_ ? indexed_->batches_ahead_max() : 0; }

  struct Step {
    data::Batch batch;
    bool first_pass = false;  // the step belongs to the first pass
  };
  // Blocks until the records of a step are read, and returns them. Call this only once the step's parameters have
  // arrived: before that it is not known whether the first pass is over. JobEnded is possible only in a job that began
  // with a first pass, because other jobs know their number of steps. Throws Error with Blame::user for a record that
  // cannot be used, unless onDamage is skip, and in a first pass for a file that cannot be read at all; data::Error if
  // the storage fails. In a first pass it may read much of a file before the records, and calls `goes_on` after each
  // piece.
  std::variant<Step, JobEnded> read(
      const BatchRequest& request, const std::function<void()>& goes_on = [] {});

  // The total time that all calls of read() and wait_until_read() have taken, including one that is under way. Any
  // thread may call it.
  std::chrono::nanoseconds waited() const { return waited_->so_far(); }
  // True while read() or wait_until_read() is under way. Any thread may call it.
  bool is_waiting() const { return waited_->is_under_way(); }

 private:
  std::variant<Step, JobEnded> read_step(const BatchRequest& request, const std::function<void()>& goes_on);
  std::variant<Step, JobEnded> read_after_first_pass(const BatchRequest& request);

  const Launch& launch_;
  const Setup& setup_;
  const RoleContext& context_;
  std::optional<data::FirstPassBatches> first_pass_;
  std::optional<data::FirstPass::Totals> first_pass_totals_;  // set once the pass is over
  std::unique_ptr<Input> indexed_;                            // set once all files are indexed
  Order order_;
  std::uint64_t batch_records_max_;
  SkippedLog skipped_log_;
  // On the heap, because it cannot move with this object.
  std::unique_ptr<WaitTime> waited_ = std::make_unique<WaitTime>();
};

}  // namespace carrack::train
