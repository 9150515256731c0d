// first_records(): reads the first records of a job's training data for `carrack step`. They pass through the stages of
// the manifest as in a worker, but without shuffles, caches and a last `repeat`.
#pragma once

#include <cstdint>

#include "dataloader/pipeline/lanes/batches.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

struct FirstRecords {
  data::Batch batch;
  std::uint64_t in_epoch = 0;  // the number of records in an epoch, without a last `repeat`
};

// Reads the first `count` records, at least 1, as one batch. Builds missing indexes, and a missing snapshot, where the
// job would. With spec.data.onDamage: skip, the batch leaves out records that cannot be used, so it may be smaller.
// Throws Error with Blame::user if an epoch has fewer records, if none of the records can be used, or, without skip, if
// one cannot. Also throws as open_in_order() does (trainer/loop/data/in_order.h).
FirstRecords first_records(const Launch& launch, const Setup& setup, const RoleContext& context, std::int64_t count);

}  // namespace carrack::train
