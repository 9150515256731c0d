// The first records of a job's training data, read by the stages of its manifest as a worker reads them, but for
// shuffles, which are left out.
#pragma once

#include <cstdint>

#include "dataloader/pipeline/lanes/batches.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

struct FirstRecords {
  data::Batch batch;
  std::uint64_t in_epoch = 0;  // how many records there are
};

// Builds missing indexes, and a missing snapshot, where the job would. Throws Error, with Blame::user, if there are
// fewer records, or if one of them cannot be used; with spec.data.onDamage: skip only if none can.
FirstRecords first_records(const Launch& launch, const Setup& setup, const RoleContext& context, std::int64_t count);

}  // namespace carrack::train
