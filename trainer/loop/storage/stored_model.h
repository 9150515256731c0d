// Reads a complete model from a checkpoint: its configuration and its parameters. With them `carrack predict`, `carrack
// export` and evaluations need no manifest of the job.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dataloader/storage/storages.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/kernels/floats.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// Returns, as text, the part of a job's configuration that the manifest of a checkpoint stores: model, features and
// training settings, without the initial weights. It does not contain where the job reads, writes or runs. read_model()
// parses it.
std::string config_for_checkpoint(const Config& config);

struct StoredModel {
  std::string url;  // URL of the checkpoint's manifest
  checkpoint::Manifest manifest;
  Config config;      // the result of config_for_checkpoint() of the job that trained it; other fields are defaults
  Floats parameters;  // all parameters, in the layout of the model (layout_of() in models/model.h)
};

// Reads a model into memory. `checkpoint` is the path or URL of a job's checkpoint folder, whose last commit is read,
// of the file BEST in it, which names the checkpoint with the lowest loss, or of the manifest of a checkpoint. Calls
// `check_cancelled` before each tensor, on the calling thread; an exception from it ends the read and passes through.
// Throws Error with Blame::user if the checkpoint does not exist or is damaged, if this release cannot read its model,
// or if its parameters take more than `memory` bytes; data::Error if the storage fails.
StoredModel read_model(
    const std::string& checkpoint, const data::Storages& storages, std::uint64_t memory,
    const std::function<void()>& check_cancelled = [] {});

}  // namespace carrack::train
