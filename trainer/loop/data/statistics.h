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
  std::uint64_t records = 0;  // number of records read so far
  std::uint64_t records_total = 0;
  bool operator==(const RecordsRead&) const = default;
};

// Reads the records of one epoch, as open_in_order() returns them, and calls `show` with the progress on the calling
// thread. The same data has the same result, bit for bit, in any process of this build. Leaves `order` of the result
// empty. Reads nothing if no feature is standardized. Throws Error with Blame::user for a value that is not finite, if
// no record can be used, and for a record that cannot be used unless such records are skipped.
checkpoint::Statistics statistics_of(
    const Launch& launch, const Setup& setup, const RoleContext& context,
    const std::function<void(const RecordsRead&)>& show = [](const RecordsRead&) {});

// For a coordinator that has claimed HEAD, before servers load: makes sure that the checkpoint folder has the
// statistics that the initial values of the model need. Does nothing if there is a commit to load, or if the folder has
// statistics of this model and this order. Returns Exit::superseded if a later process of the coordinator has claimed
// HEAD meanwhile, otherwise nullopt. Throws what statistics_of() throws, and Error with Blame::platform if another
// process has written statistics meanwhile.
std::optional<Exit> provide_statistics(const Launch& launch, const Setup& setup, const RoleContext& context,
                                       const Order& order, CommitStore& store,
                                       const std::function<void(const RecordsRead&)>& show);

}  // namespace carrack::train
