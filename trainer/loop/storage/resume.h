// The last commit of another job, in the folder that spec.checkpoint.resume names, as the state that this job starts
// from. That folder is only read; its job may go on training.
#pragma once

#include "trainer/loop/storage/commit_store.h"

namespace carrack::train {

// Throws Error, with Blame::user, if nothing is committed there.
checkpoint::Committed last_commit_to_resume(const Config& config, const data::Storages& storages);

// A commit of that folder. Throws Error, with Blame::user, if it does not fit this job; the error has a line for each
// field of the manifest that differs.
Commit commit_to_resume(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                        const data::Storages& storages, const FoundData& data);

// Throws Error, with Blame::user, if the last commit of another job in this job's own folder, which it is to go on
// from, does not fit it; as above, but the job may be at its end.
void require_fits_folder(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                         const data::Storages& storages, const FoundData& data);

}  // namespace carrack::train
