// Reads the last commit of a job on this machine from its checkpoint folder. The last one that its coordinator reported
// may be older: the coordinator may have committed since then, and removed the reported checkpoint.
#pragma once

#include <optional>
#include <string>

#include "dataloader/storage/storages.h"
#include "operator/core/job.h"
#include "operator/core/job_status.h"

namespace carrack::control {

// Returns nullopt if the job has no commit there, or if the folder cannot be read.
std::optional<LastCheckpoint> last_commit_of(const JobSpec& job, const data::Storages& storages);

// Returns the UID of another job that has the checkpoint folder of `job` now; empty if no other job has it, or if the
// folder cannot be read.
std::string other_owner_of_folder(const JobSpec& job, const data::Storages& storages);

}  // namespace carrack::control
