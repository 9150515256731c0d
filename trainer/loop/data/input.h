// The records of a job's indexed files in the order that its manifest describes, divided into the lanes of its batches.
// Reads batches ahead, on threads of its own. Not thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/pipeline/execution/workers.h"
#include "dataloader/pipeline/lanes/batches.h"
#include "dataloader/pipeline/stages/profile.h"
#include "trainer/loop/data/job_files.h"
#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// Which records of a batch to read. Batches are numbered from 0 over all epochs.
struct BatchRequest {
  std::uint64_t batch = 0;
  data::Range lanes;
  std::uint64_t lanes_in_batch = 0;        // see data::Batches::read()
  std::vector<std::uint64_t> leases = {};  // Async: the batches that the worker needs after this one
};

class Input {
 public:
  // `sets` has one set of files for each set of the mix, or one in all. `context.storages` must outlive this. Throws
  // Error with Blame::user if there is no record to train on, or a stage cannot be opened.
  Input(std::vector<FileSet> sets, const Launch& launch, const Setup& setup, const RoleContext& context);

  // Both describe the order of the records; the reference is valid as long as this.
  const data::Order& order() const { return batches_->order(); }
  FoundData found() const { return {order().steps_in_epoch(), order_text_, nullptr, order().batching().own_runs}; }

  // Blocks until the records are read. Then starts to read the same lanes of the next batches: in Sync the following
  // ones, in Async those of `request.leases`. Throws Error with Blame::user for a record that cannot be used, unless
  // such records are skipped, and data::Error if the storage fails.
  data::Batch read(const BatchRequest& request);
  // Waits until read() would not block, but at most until `deadline`. Returns false if read() would still block;
  // immediately if this batch is not being read ahead.
  bool wait_until_read(const BatchRequest& request, std::chrono::steady_clock::time_point deadline) const;
  // The maximum number of batches that are read ahead.
  std::size_t batches_ahead_max() const { return ahead_max_; }

 private:
  using Result = std::variant<data::Batch, data::Corrupt>;
  struct Ahead {
    bool is_for(const BatchRequest& request) const {
      return batch == request.batch && lanes == request.lanes && lanes_in_batch == request.lanes_in_batch;
    }

    std::uint64_t batch;
    data::Range lanes;
    std::uint64_t lanes_in_batch;
    std::shared_ptr<std::atomic<bool>> still_wanted;  // false: the task skips the batch if it has not begun
    std::future<Result> result;
  };

  data::Position at(std::uint64_t batch) const;
  Result take(const BatchRequest& request);
  std::vector<std::uint64_t> batches_after(const BatchRequest& request) const;
  void read_ahead(const BatchRequest& request);

  data::Profile profile_{0};
  data::Workers workers_;
  std::shared_ptr<const data::Batches> batches_;  // shared with the tasks of workers_
  Order order_text_;
  std::uint64_t total_batches_ = 0;
  bool is_sync_;
  std::size_t ahead_max_;
  std::deque<Ahead> ahead_;  // in the order in which they will be used
};

}  // namespace carrack::train
