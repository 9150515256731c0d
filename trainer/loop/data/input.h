// Input: reads the batches of a job from its indexed files, with the stages of the manifest (shuffle, take, ...) and
// with the features as columns. A batch consists of lanes (shares of its records); a worker reads only its own
// lanes. Reads the next batches ahead, on threads of its own. Not thread-safe.
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

// Which records of a batch to read.
struct BatchRequest {
  std::uint64_t batch = 0;  // number of the batch, from 0 over all epochs
  data::Range lanes;        // which of its lanes
  // The number of lanes into which the batch is divided; 0: training.lanes. Not used if each lane has records of its
  // own (FoundData::lanes_are_fixed).
  std::uint64_t lanes_in_batch = 0;
  std::vector<std::uint64_t> leases = {};  // Async: the batches that the worker needs after this one
};

class Input {
 public:
  // `sets` has the files of each set of spec.data.train.mix, in order; a single set without a mix. `context.storages`
  // must outlive this. Throws Error with Blame::user if no record is left to train on, or if a stage cannot be opened.
  Input(std::vector<FileSet> sets, const Launch& launch, const Setup& setup, const RoleContext& context);

  // Computes which places (positions in the shuffled epoch) each batch has. The reference is valid as long as this.
  const data::Order& order() const { return batches_->order(); }
  // Returns the number of batches of an epoch and the text that identifies the data and its order; no first pass.
  FoundData found() const { return {order().steps_in_epoch(), order_text_, nullptr, order().batching().own_runs}; }

  // Blocks until the records are read, and returns them. Then starts to read ahead the same lanes of the next batches:
  // in Sync the following ones, in Async those of `request.leases`. Any other request is correct, too, but slower.
  // Throws Error with Blame::user for a record that cannot be used, unless onDamage is skip, and data::Error if the
  // storage fails.
  data::Batch read(const BatchRequest& request);
  // Waits until read() of this request would not block, but at most until `deadline`. Returns true if read() would not
  // block. Returns false immediately if this batch is not being read ahead.
  bool wait_until_read(const BatchRequest& request, std::chrono::steady_clock::time_point deadline) const;
  // The maximum number of batches that are read ahead; 0 if memory is scarce.
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
