// The model that a checkpoint holds, with which outputs can be computed without the job's manifest.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dataloader/storage/storages.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/kernels/floats.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// What the manifest of a checkpoint has of the job's configuration: model, features and training. Where the job reads,
// its initial weights among that, writes and runs is not part of it.
std::string config_for_checkpoint(const Config& config);

struct StoredModel {
  std::string url;  // of the checkpoint's manifest
  checkpoint::Manifest manifest;
  Config config;
  Floats parameters;  // in the layout of the config's model
};

// `checkpoint` is the folder of a job, whose last commit is read, its BEST, or the manifest of one checkpoint. Throws
// Error, with Blame::user, if there is none, if it is damaged, if another release wrote it that does not say what the
// model is in a way that this one reads, or if the parameters take more than `memory` bytes; data::Error if storage
// fails. `check_cancelled` is called again and again; what it throws ends the read.
StoredModel read_model(
    const std::string& checkpoint, const data::Storages& storages, std::uint64_t memory,
    const std::function<void()>& check_cancelled = [] {});

}  // namespace carrack::train
