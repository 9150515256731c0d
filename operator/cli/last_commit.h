// Reads from its checkpoint folder what a job on this machine has committed last. What its coordinator reported last
// may be older: the coordinator may have committed since, and removed that checkpoint.
#pragma once

#include <optional>
#include <string>

#include "dataloader/storage/storages.h"
#include "operator/core/job.h"
#include "operator/core/job_status.h"

namespace carrack::control {

// nullopt if the job has no commit there, or if the folder cannot be read.
std::optional<LastCheckpoint> last_commit_of(const JobSpec& job, const data::Storages& storages);

// The UID of the other job that has the checkpoint folder of this one now; empty if none has, or if the folder cannot
// be read.
std::string other_owner_of_folder(const JobSpec& job, const data::Storages& storages);

}  // namespace carrack::control
