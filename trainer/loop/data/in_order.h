// Reads all training data of a job in a single process, for statistics of the data and for `carrack step`. Applies the
// stages of the manifest except caches, a repeat as the last stage, and most shuffles.
#pragma once

#include <cstdint>
#include <memory>

#include "trainer/loop/data/input.h"

namespace carrack::train {

// Which shuffles of the manifest are not applied.
enum class Shuffles {
  left_out,  // all; for `carrack step`
  // All but those that change which records an epoch has, such as one before a `take`; for statistics.
  left_out_if_harmless,
};

// Returns the batches of one epoch, each of `batch` records and with a single lane (see Input). Builds the missing
// indexes, or writes the missing files of the manifest's snapshot, where the job itself would write them, and blocks
// meanwhile. `context.storages` must outlive the result. Throws Error with Blame::user if the data cannot be used,
// data::Error if the storage fails.
std::unique_ptr<Input> open_in_order(Launch launch, const Setup& setup, const RoleContext& context, std::int64_t batch,
                                     Shuffles shuffles);

}  // namespace carrack::train
