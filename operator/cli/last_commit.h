// Reads from its checkpoint folder how far a job of `carrack run` really is, and whether another job owns that folder
// now. The commit (last complete checkpoint) in the job's status may be older, because the job may have committed after
// its last report. HEAD is the object in the folder that names the last commit and the job that owns the folder. The
// main function of `carrack` passes both functions to run() (run.h).
#pragma once

#include <optional>
#include <string>

#include "dataloader/storage/storages.h"
#include "operator/core/job.h"
#include "operator/core/job_status.h"

namespace carrack::control {

// Returns the commit that HEAD names; nullopt if there is none, if HEAD belongs to another job (job.uid), or if the
// folder cannot be read. Throws nothing.
std::optional<LastCheckpoint> last_commit_of(const JobSpec& job, const data::Storages& storages);

// Returns the UID of the other job to which HEAD in the checkpoint folder of `job` belongs. Empty if HEAD belongs to
// `job`, if there is no HEAD, with strategy Own, or if the folder cannot be read. Throws nothing.
std::string other_owner_of_folder(const JobSpec& job, const data::Storages& storages);

}  // namespace carrack::control
