// The last commit of another job, in the folder that spec.checkpoint.resume names, as the state from which this job
// starts. The folder is only read, and its job may go on training.
#pragma once

#include "trainer/loop/storage/commit_store.h"

namespace carrack::train {

// Throws Error with Blame::user if nothing is committed there.
checkpoint::Committed last_commit_to_resume(const Config& config, const data::Storages& storages);

// Reads a commit of that folder. Throws Error with Blame::user if it does not fit this job, with a line for each field
// of this job's manifest that has to change.
Commit commit_to_resume(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                        const data::Storages& storages, const FoundData& data);

// For a job that goes on from another job's last commit in its own folder. Throws Error with Blame::user if the commit
// does not fit it, like commit_to_resume(); but the commit may be at the end of this job.
void require_fits_folder(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                         const data::Storages& storages, const FoundData& data);

}  // namespace carrack::train
