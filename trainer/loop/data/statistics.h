// Computes the mean and standard deviation of the features that layers of kind Standardize read, over the training data
// of a job. The job computes them once, before its first step, and stores them in its checkpoint folder.
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

// The progress of statistics_of().
struct RecordsRead {
  std::uint64_t records = 0;        // number of records read so far
  std::uint64_t records_total = 0;  // number of records of an epoch
  bool operator==(const RecordsRead&) const = default;
};

// Reads the records of one epoch with open_in_order(), which may build indexes, and returns their statistics by layer.
// Does not write them. Calls `show` with the progress on the calling thread. The same data has the same result, bit for
// bit, in any process of this build. Leaves `order` of the result empty. If the model standardizes no feature, reads
// nothing and returns no layers. Throws what open_in_order() throws, Error with Blame::user for a value that is not
// finite, if no record can be used, and for a record that cannot be used unless onDamage is skip; data::Error if the
// storage fails.
checkpoint::Statistics statistics_of(
    const Launch& launch, const Setup& setup, const RoleContext& context,
    const std::function<void(const RecordsRead&)>& show = [](const RecordsRead&) {});

// Makes sure that the checkpoint folder has the statistics from which the parameter servers make the model's initial
// values. For a coordinator whose store.claim() has succeeded, before the servers load. Does nothing if there is a
// commit to load, if the model standardizes no feature, or if the folder has statistics of this model, this order of
// the data, this seed and these settings of the features. Otherwise computes and writes them. Meanwhile it calls
// store.still_claimed() every few seconds, which answers a job that wants to take over the folder. Returns
// Exit::superseded if another process has claimed HEAD meanwhile, a later one of this coordinator or one of a job that
// took the folder over, and this process must end; Exit::drained if a shutdown is requested meanwhile; otherwise
// nullopt. Throws what statistics_of() throws, and Error with Blame::platform if the folder had no statistics before
// and another process has written some meanwhile.
std::optional<Exit> provide_statistics(const Launch& launch, const Setup& setup, const RoleContext& context,
                                       const Order& order, CommitStore& store,
                                       const std::function<void(const RecordsRead&)>& show);

}  // namespace carrack::train
