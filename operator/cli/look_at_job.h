// Checks the files of a job before it starts, for `carrack validate` and `carrack run`: whether data files, checkpoints
// and weights exist and fit the manifest (the trainer's look_at()), and whether a checkpoint folder on this machine can
// be written. The main function of `carrack` passes this function to the commands, which do not link the trainer.
#pragma once

#include "dataloader/storage/storages.h"
#include "operator/cli/validate.h"

namespace carrack::control {

// A CheckFiles (operator/cli/validate.h) that reads from `storages`. Changes nothing. A storage that cannot be read is
// a problem in the result.
FilesReport look_at_job(const JobSpec& job, WhichFiles which, const data::Storages& storages);

}  // namespace carrack::control
