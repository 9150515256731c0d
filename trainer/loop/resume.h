// Another job's checkpoint as the place where this one begins: the last commit of the folder that
// spec.checkpoint.resume names. That folder is read and never changed, whoever still trains there.
#pragma once

#include "trainer/loop/commit_store.h"

namespace carrack::train {

checkpoint::CheckpointFolder folder_to_resume(const Config& config, const data::Storages& storages);

// Throws, for the user, where nothing is committed there, or what is contradicts this job: all of it, in the words of
// the manifest.
Commit commit_to_resume(const Config& config, const Setup& setup, const data::Storages& storages,
                        std::uint64_t batches_per_epoch);

}  // namespace carrack::train
