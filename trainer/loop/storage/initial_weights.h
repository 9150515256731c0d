// The weights of another model with which a job begins (spec.training.initialWeights).
#pragma once

#include <span>
#include <string>

#include "dataloader/storage/storages.h"
#include "trainer/kernels/layout.h"
#include "trainer/launch/launch.h"

namespace carrack::train {

// For a coordinator, before training begins: checks that the weights can be used, and returns the version of the file.
// Returns an empty text, and reads nothing of the file, if the job has no initial weights or has a commit from which it
// continues. Reads only headers. Throws Error with Blame::user if the weights cannot be used, with a line for each of
// the first 5 tensors that do not fit; data::Error if the storage fails.
std::string require_initial_weights(const Launch& launch, const Layout& layout, const data::Storages& storages);

// Overwrites the elements of `values` that are taken from the file. `values` are the parameters of `range`, which must
// be one of ranges(). If a folder has several checkpoints, `version` selects the one to read; if it is empty,
// `initial.from` does. Throws Error with Blame::user if the weights cannot be used, a value is not finite or the file
// is damaged, and with Blame::platform if the file has another version than `version`; data::Error if the storage
// fails.
void read_initial_weights(const InitialWeights& initial, const Layout& layout, Range range, std::span<float> values,
                          const data::Storages& storages, const std::string& version = "");

}  // namespace carrack::train
