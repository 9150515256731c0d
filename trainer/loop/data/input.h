// The records of a job's indexed files in the order that its manifest describes, cut into the lanes of its batches.
// Reads batches ahead of their use, on threads of its own. Not thread-safe.
#pragma once

#include <atomic>
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

class Input {
 public:
  // Throws Error, with Blame::user, if there is no record to train on or a stage cannot be opened. context.storages
  // must outlive this.
  Input(std::vector<FileSet> sets, const Launch& launch, const Setup& setup, const RoleContext& context);

  const data::Order& order() const { return batches_->order(); }
  FoundData found() const { return {order().steps_in_epoch(), order_text_, nullptr}; }

  // The records of these lanes of a batch; batches are numbered over all epochs. Blocks until they are read. Then
  // begins to read the same lanes of those that come next: in Sync the batches after it, in Async the worker's further
  // `leases`. Throws Error, with Blame::user, for a record that cannot be used, and data::Error if storage fails.
  data::Batch read(std::uint64_t batch, data::Range lanes, const std::vector<std::uint64_t>& leases = {});
  // How many batches are read ahead.
  std::size_t batches_ahead_max() const { return ahead_max_; }

 private:
  using Result = std::variant<data::Batch, data::Corrupt>;
  struct Ahead {
    std::uint64_t batch;
    data::Range lanes;
    std::shared_ptr<std::atomic<bool>> still_wanted;  // false: the task does not read the batch if it has not begun
    std::future<Result> result;
  };

  data::Position at(std::uint64_t batch) const;
  Result take(std::uint64_t batch, data::Range lanes);
  std::vector<std::uint64_t> batches_after(std::uint64_t batch, const std::vector<std::uint64_t>& leases) const;
  void read_ahead(const std::vector<std::uint64_t>& batches, data::Range lanes);

  data::Profile profile_{0};
  data::Workers workers_;
  std::shared_ptr<const data::Batches> batches_;  // shared with the tasks of workers_
  Order order_text_;
  std::uint64_t total_batches_ = 0;
  bool is_sync_;
  std::size_t ahead_max_;
  std::deque<Ahead> ahead_;  // in the order in which they will be read
};

}  // namespace carrack::train
