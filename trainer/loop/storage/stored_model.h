// The model that a checkpoint holds, with which outputs can be computed without the job's manifest.
#pragma once

#include <string>

#include "dataloader/storage/storages.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/kernels/floats.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// What the manifest of a checkpoint has of the job's configuration: all but where it reads, writes and runs.
std::string config_for_checkpoint(Config config);

struct StoredModel {
  std::string url;  // of the checkpoint's manifest
  checkpoint::Manifest manifest;
  Config config;
  Floats parameters;  // in the layout of the config's model
};

// `checkpoint` is the folder of a job, whose last commit is read, or the manifest of one checkpoint. Throws Error, with
// Blame::user, if there is none, if it is damaged, or if an earlier release wrote it, without the configuration;
// data::Error if storage fails.
StoredModel read_model(const std::string& checkpoint, const data::Storages& storages);

}  // namespace carrack::train
