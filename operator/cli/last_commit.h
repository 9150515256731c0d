// Reads the last commit of a job on this machine from its checkpoint folder. The commit in the job's status may be
// older, and its checkpoint removed, because the coordinator may have committed after its last report.
#pragma once

#include <optional>
#include <string>

#include "dataloader/storage/storages.h"
#include "operator/core/job.h"
#include "operator/core/job_status.h"

namespace carrack::control {

// Returns the commit that HEAD names; nullopt if the job has none, if HEAD is another job's, or if the folder cannot be
// read. Throws nothing.
std::optional<LastCheckpoint> last_commit_of(const JobSpec& job, const data::Storages& storages);

// Returns the UID of another job to which HEAD in the checkpoint folder of `job` belongs; empty if no other job has it,
// with strategy Own, or if the folder cannot be read. Throws nothing.
std::string other_owner_of_folder(const JobSpec& job, const data::Storages& storages);

}  // namespace carrack::control
