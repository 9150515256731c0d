// Mean and deviation of the features that a model standardizes, over the training data of a job.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "trainer/checkpoint/statistics.h"
#include "trainer/launch/exit.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/setup/role_context.h"
#include "trainer/loop/setup/setup.h"
#include "trainer/loop/storage/commit_store.h"

namespace carrack::train {

struct RecordsRead {
  std::uint64_t records = 0;  // done
  std::uint64_t records_total = 0;
  bool operator==(const RecordsRead&) const = default;
};

// Reads the records of one epoch, as open_in_order() has them, and calls `show` again and again. The same data has the
// same result, bit for bit, in any process of this build. Without features to standardize nothing is read. The order
// is left empty. Throws Error, with Blame::user, for a value that is not finite, for a record that cannot be used,
// unless such are skipped, and if none can be used.
checkpoint::Statistics statistics_of(
    const Launch& launch, const Setup& setup, const RoleContext& context,
    const std::function<void(const RecordsRead&)>& show = [](const RecordsRead&) {});

// For a coordinator that has claimed HEAD, before servers load: makes sure that the checkpoint folder has what their
// initial values need. Does nothing if they load a commit, or if the folder has the statistics of this model and this
// order already. Returns Exit::superseded if a later start of the coordinator has claimed HEAD meanwhile. Throws as
// statistics_of(), and Error, with Blame::platform, if another start has written the statistics: a retry helps.
std::optional<Exit> provide_statistics(const Launch& launch, const Setup& setup, const RoleContext& context,
                                       const Order& order, CommitStore& store,
                                       const std::function<void(const RecordsRead&)>& show);

}  // namespace carrack::train
