// Reads the first records of a job's training data through the stages of its manifest, as a worker does, but without
// shuffles, so that they are the first records of the files.
#pragma once

#include <cstdint>

#include "dataloader/pipeline/lanes/batches.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

struct FirstRecords {
  data::Batch batch;
  std::uint64_t in_epoch = 0;  // the number of records in an epoch
};

// Reads `count` records; with spec.data.onDamage: skip those of them that can be used. Builds missing indexes, and a
// missing snapshot, where the job would. Throws Error with Blame::user if an epoch has fewer records, if none of them
// can be used, or, without skip, if one cannot.
FirstRecords first_records(const Launch& launch, const Setup& setup, const RoleContext& context, std::int64_t count);

}  // namespace carrack::train
