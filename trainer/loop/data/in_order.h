// The training data of a job as one process reads all of it: with the stages of the manifest, but without caches,
// without a repeat as the last stage, and without shuffles.
#pragma once

#include <cstdint>
#include <memory>

#include "trainer/loop/data/input.h"

namespace carrack::train {

enum class Shuffles {
  left_out,              // records come in the order of the files
  left_out_if_harmless,  // left out only if they do not change which records an epoch has
};

// Opens one epoch, in batches of `batch` records with one lane. Builds the missing indexes, or writes the missing files
// of a snapshot, at the places where the job would. Throws Error with Blame::user if the data cannot be used.
std::unique_ptr<Input> open_in_order(Launch launch, const Setup& setup, const RoleContext& context, std::int64_t batch,
                                     Shuffles shuffles);

}  // namespace carrack::train
