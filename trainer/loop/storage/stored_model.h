// The model that a checkpoint contains, for computing outputs without the job's manifest.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dataloader/storage/storages.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/kernels/floats.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// Returns the part of the job's configuration that the manifest of a checkpoint stores: model, features and training,
// without the initial weights. It does not contain where the job reads, writes or runs.
std::string config_for_checkpoint(const Config& config);

struct StoredModel {
  std::string url;  // URL of the checkpoint's manifest
  checkpoint::Manifest manifest;
  Config config;      // the configuration that the manifest stores
  Floats parameters;  // in the layout of the config's model
};

// Reads a model. `checkpoint` is the folder of a job, whose last commit is read, its BEST, or the manifest of a
// checkpoint. Calls `check_cancelled` before each tensor, on the calling thread; an exception from it ends the read and
// passes through. Throws Error with Blame::user if the checkpoint does not exist, is damaged, is from a release that
// did not store its model in a way that this release reads, or has parameters of more than `memory` bytes; data::Error
// if the storage fails.
StoredModel read_model(
    const std::string& checkpoint, const data::Storages& storages, std::uint64_t memory,
    const std::function<void()>& check_cancelled = [] {});

}  // namespace carrack::train
