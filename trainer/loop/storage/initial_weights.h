// Reads the weights of another model with which a job begins (spec.training.initialWeights), for fine-tuning. Each
// process of the coordinator checks the file, and each parameter server reads its own range of the parameters from it.
// `carrack step` reads all of it.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "dataloader/storage/storages.h"
#include "trainer/kernels/layout.h"
#include "trainer/launch/launch.h"

namespace carrack::train {

// For a coordinator, before training begins: checks that the file has all tensors of `layout` that it must have, with
// the right shapes, and returns the version of the file (WeightsFile::version()). Reads only its header or index.
// Returns an empty text, and does not open the file, if the job has no initial weights or continues from a commit.
// Throws Error with Blame::user if the weights cannot be used, with a line for each of the first 5 tensors that do not
// fit, and what open_weights() (weights_file.h) throws.
std::string require_initial_weights(const Launch& launch, const Layout& layout, const data::Storages& storages);

// For a parameter server: overwrites the elements of tensors that match initial.tensors by the values of the file. The
// elements of other tensors, and of tensors that training never changes, stay as they are. `values` are the parameters
// of `range`, which must be one of ranges_by_server(). `version` is the result of require_initial_weights(): of a
// folder with several checkpoints it selects the same one. If it is empty, any version is accepted. Throws Error with
// Blame::user if the weights cannot be used, a value is not finite or the file is damaged, and with Blame::platform if
// the file has another version than `version` or has been removed by its job; data::Error if the storage fails. Calls
// `progressed` after each piece that it reads.
void read_initial_weights(
    const InitialWeights& initial, const Layout& layout, Range range, std::span<float> values,
    const data::Storages& storages, const std::string& version = "", const std::function<void()>& progressed = [] {});

}  // namespace carrack::train
