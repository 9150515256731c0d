// Starts a job from the last committed checkpoint of another job (spec.checkpoint.resume), and checks that it fits this
// job: the same seed, data, order and tensors. The folder of the other job is only read, and that job may continue
// training. All functions throw data::Error if the storage fails.
#pragma once

#include "trainer/loop/storage/commit_store.h"

namespace carrack::train {

// Returns the checkpoint that HEAD in config.checkpoint.resume names now. Throws Error with Blame::user if nothing is
// committed there.
checkpoint::Committed last_commit_to_resume(const Config& config, const data::Storages& storages);

// Reads the manifest and the list of tensors of `committed`, a checkpoint of that folder, and returns it with
// Commit::resumed true. Throws Error with Blame::user if it does not fit this job, with a line for each field of this
// job's manifest that has to change. It does not fit, too, if its step is at or after the end of this job.
Commit commit_to_resume(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                        const data::Storages& storages, const FoundData& data);

// For a job that takes over its own folder, config.checkpoint.folder, from another job and continues from that job's
// last commit (onTaken: GoOn). Throws Error with Blame::user, with the same lines, if the commit does not fit this job.
// Here its step may also be the end of this job.
void require_fits_folder(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                         const data::Storages& storages, const FoundData& data);

}  // namespace carrack::train
