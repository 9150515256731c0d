// The records of a job's indexed files in the order that its manifest says, as the lanes of its batches, read ahead of
// their use.
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
  // Throws, for the user, where there is nothing to train on.
  Input(std::vector<FileSet> sets, const Launch& launch, const Setup& setup, const RoleContext& context);

  const data::Order& order() const { return batches_->order(); }
  FoundData found() const { return {order().steps_in_epoch(), batches_->contents()}; }

  // Those lanes of a batch, counted over all epochs; what is likely to be asked for next is read meanwhile. Throws, for
  // the user, for a record that cannot be used.
  data::Batch read(std::uint64_t batch, data::Range lanes);

 private:
  using Result = std::variant<data::Batch, data::Corrupt>;
  struct Ahead {
    std::uint64_t batch;
    data::Range lanes;
    std::shared_ptr<std::atomic<bool>> wanted;  // false: is not begun any more
    std::future<Result> result;
  };

  data::Position at(std::uint64_t batch) const;
  Result taken(std::uint64_t batch, data::Range lanes);
  void read_on(std::uint64_t batch, data::Range lanes);

  data::Profile profile_{0};
  data::Workers workers_;
  std::shared_ptr<const data::Batches> batches_;  // Tasks of the workers have it too.
  std::uint64_t batches_in_all_;
  std::size_t most_ahead_;
  std::deque<Ahead> ahead_;  // Batches in a row.
};

}  // namespace carrack::train
