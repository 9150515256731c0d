#include "trainer/debug/first_records.h"

#include <string>
#include <utility>

#include "trainer/error.h"
#include "trainer/loop/data/input.h"
#include "trainer/loop/data/job_files.h"

namespace carrack::train {
namespace {

// A stage that skips nothing stands in for each shuffle, so that errors name the others by their places.
void leave_out_shuffles(std::vector<Stage>& stages) {
  for (Stage& stage : stages) {
    if (kind_of(stage) == StageKind::shuffle) stage = Skip{0};
  }
}

// The launch of the only process that reads, in one batch.
void make_alone(Launch& launch, std::int64_t count) {
  Config& config = launch.config;
  leave_out_shuffles(config.data.stages);
  for (MixedSet& set : config.data.mix) leave_out_shuffles(set.stages);
  config.training.batch = count;
  config.training.lanes = 1;
  config.training.epochs = 1;
  config.training.consistency = Consistency::sync;
  // All indexes are the share of a coordinator without workers, and all files of a snapshot that of the only worker.
  config.workers = {};
  launch.member = {snapshot_in(config.data) == nullptr ? Role::coordinator : Role::worker, 0};
}

}  // namespace

FirstRecords first_records(Launch launch, const Setup& setup, const RoleContext& context, std::int64_t count) {
  make_alone(launch, count);
  std::vector<FileSet> files = snapshot_in(launch.config.data) == nullptr
                                   ? indexed_files(job_files(launch, context), launch, context)
                                   : snapshot_files(launch, context);
  Input input(std::move(files), launch, setup, context);
  const std::uint64_t in_epoch = input.order().records();
  if (in_epoch < static_cast<std::uint64_t>(count)) {
    throw Error(Blame::user, "--records: is " + std::to_string(count) + ", but spec.data.train has " +
                                 std::to_string(in_epoch) + (in_epoch == 1 ? " record" : " records"));
  }
  return {input.read({.batch = 0, .lanes = {0, 1}}), in_epoch};
}

}  // namespace carrack::train
