// Another job's checkpoint as the place where this one begins: the last commit of the folder that
// spec.checkpoint.resume names. That folder is read and never changed, whoever still trains there.
#pragma once

#include "trainer/loop/storage/commit_store.h"

namespace carrack::train {

// Throws, for the user, where nothing is committed there.
checkpoint::Committed last_commit_to_resume(const Config& config, const data::Storages& storages);

// A commit of that folder. Throws, for the user, where it contradicts this job: all of it, in the words of the
// manifest.
Commit commit_to_resume(const checkpoint::Committed& committed, const Config& config, const Setup& setup,
                        const data::Storages& storages, const FoundData& data);

}  // namespace carrack::train
