// The last commit of another job, in the folder that spec.checkpoint.resume names, as the state from which this job
// starts. The folder is only read, and its job may continue training. All functions throw data::Error if the storage
// fails.
#pragma once

#include "trainer/loop/storage/commit_store.h"

namespace carrack::train {

// Returns what HEAD of that folder names. Throws Error with Blame::user if nothing is committed there.
checkpoint::Committed last_commit_to_resume(const Config& config, const data::Storages& storages);

// Reads a commit of that folder. Throws Error with Blame::user if it does not fit this job, with a line for each field
// of this job's manifest that has to change.
Commit commit_to_resume(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                        const data::Storages& storages, const FoundData& data);

// For a job that continues from another job's last commit in its own folder. Throws Error with Blame::user, with the
// same lines, if the commit does not fit this job. Here the commit may also be at the end of this job.
void require_fits_folder(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                         const data::Storages& storages, const FoundData& data);

}  // namespace carrack::train
