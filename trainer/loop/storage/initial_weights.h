// The weights of another model, with which a job begins that names them in spec.training.initialWeights.
#pragma once

#include <span>
#include <string>

#include "dataloader/storage/storages.h"
#include "trainer/kernels/layout.h"
#include "trainer/launch/launch.h"

namespace carrack::train {

// For a coordinator, before anything is trained: throws Error, with Blame::user, if the weights cannot be used, with a
// line for each of the first tensors that do not fit. Returns the version of the file. Reads headers only, and nothing
// if the job has none, or has a commit to go on from; the result is then empty. Throws data::Error if storage fails.
std::string require_initial_weights(const Launch& launch, const Layout& layout, const data::Storages& storages);

// Overwrites those of the `values` of `range`, which is one of rows as those of ranges(), that are taken from the file.
// Throws as require_initial_weights(), and Error, with Blame::user, if one of them is not finite or the file is
// damaged; with Blame::platform, if it has another version than `version`, which is empty for any. Of the checkpoints
// of a folder it reads the one of that version, also if there are later ones.
void read_initial_weights(const InitialWeights& initial, const Layout& layout, Range range, std::span<float> values,
                          const data::Storages& storages, const std::string& version = "");

}  // namespace carrack::train
