#include "trainer/loop/data/in_order.h"

#include <utility>

#include "trainer/loop/data/job_files.h"

namespace carrack::train {
namespace {

// A stage that skips nothing stands in for each shuffle, so that errors name the others by their places.
void leave_out_shuffles(std::vector<Stage>& stages) {
  for (Stage& stage : stages) {
    if (kind_of(stage) == StageKind::shuffle) stage = Skip{0};
  }
}

// The launch of the only process that reads.
void make_alone(Launch& launch, std::int64_t batch) {
  Config& config = launch.config;
  leave_out_shuffles(config.data.stages);
  for (MixedSet& set : config.data.mix) leave_out_shuffles(set.stages);
  config.training.batch = batch;
  config.training.lanes = 1;
  config.training.epochs = 1;
  config.training.consistency = Consistency::sync;
  // All indexes are the share of a coordinator without workers, and all files of a snapshot that of the only worker.
  config.workers = {};
  launch.member = {snapshot_in(config.data) == nullptr ? Role::coordinator : Role::worker, 0};
}

}  // namespace

std::unique_ptr<Input> open_in_order(Launch launch, const Setup& setup, const RoleContext& context,
                                     std::int64_t batch) {
  make_alone(launch, batch);
  std::vector<FileSet> files = snapshot_in(launch.config.data) == nullptr
                                   ? indexed_files(job_files(launch, context), launch, context)
                                   : snapshot_files(launch, context);
  return std::make_unique<Input>(std::move(files), launch, setup, context);
}

}  // namespace carrack::train
