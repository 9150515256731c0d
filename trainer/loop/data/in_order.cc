#include "trainer/loop/data/in_order.h"

#include <utility>

#include "trainer/loop/data/job_files.h"

namespace carrack::train {
namespace {

// Leaves out caches, a repeat as the last stage, and shuffles. With left_out_if_harmless a shuffle stays if it affects
// which records an epoch has: if a later stage, or a mix, takes records by their places. A Skip of 0 records replaces
// each stage that is left out, so that errors still name the other stages by their numbers.
void leave_out(std::vector<Stage>& stages, bool is_mixed, Shuffles shuffles) {
  bool takes_by_place = is_mixed, is_last = !is_mixed;
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    switch (kind_of(*stage)) {
      case StageKind::cache:
        *stage = Skip{0};
        continue;
      case StageKind::shuffle:
        if (takes_by_place && shuffles == Shuffles::left_out_if_harmless) break;
        *stage = Skip{0};
        continue;
      case StageKind::repeat:
        if (!is_last) break;
        *stage = Skip{0};
        continue;
      case StageKind::shard:
      case StageKind::skip:
      case StageKind::take:
        takes_by_place = true;
        break;
      case StageKind::interleave:
      case StageKind::filter:
      case StageKind::snapshot:
        break;
    }
    is_last = false;
  }
}

// Changes the launch to that of a single process that reads everything.
void make_alone(Launch& launch, std::int64_t batch, Shuffles shuffles) {
  Config& config = launch.config;
  leave_out(config.data.stages, false, shuffles);
  for (MixedSet& set : config.data.mix) leave_out(set.stages, true, shuffles);
  config.training.batch = batch;
  config.training.lanes = 1;
  config.training.epochs = 1;
  config.training.consistency = Consistency::sync;
  // The job has no other process. So this one builds all indexes, as a coordinator without workers, or writes all files
  // of a snapshot, as the only worker.
  config.workers = {};
  launch.member = {snapshot_in(config.data) == nullptr ? Role::coordinator : Role::worker, 0};
}

}  // namespace

std::unique_ptr<Input> open_in_order(Launch launch, const Setup& setup, const RoleContext& context, std::int64_t batch,
                                     Shuffles shuffles) {
  make_alone(launch, batch, shuffles);
  std::vector<FileSet> files = snapshot_in(launch.config.data) == nullptr
                                   ? indexed_files(job_files(launch, context), launch, context)
                                   : snapshot_files(launch, context);
  return std::make_unique<Input>(std::move(files), launch, setup, context);
}

}  // namespace carrack::train
