// The look at the files of a job that the main of `carrack` passes to `carrack validate` and `carrack run`: the
// trainer's, and whether the checkpoint folder can be written.
#pragma once

#include "dataloader/storage/storages.h"
#include "operator/cli/validate.h"

namespace carrack::control {

// A LookAtFiles that reads from `storages`.
FilesLook look_at_job(const train::Config& config, LookFor look_for, const data::Storages& storages);

}  // namespace carrack::control
