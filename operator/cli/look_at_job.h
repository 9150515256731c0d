// Checks the files of a job before it starts: by the trainer's look_at(), and whether the checkpoint folder can be
// written if it is on this machine. The main function of `carrack` passes it to `carrack validate` and `carrack run`.
#pragma once

#include "dataloader/storage/storages.h"
#include "operator/cli/validate.h"

namespace carrack::control {

// A LookAtFiles (operator/cli/validate.h) that reads from `storages`.
FilesLook look_at_job(const train::Config& config, LookFor look_for, const data::Storages& storages);

}  // namespace carrack::control
