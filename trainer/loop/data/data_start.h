// Opens a job's training data when a coordinator or a worker starts. An index says where each record of a file begins.
// If indexes are missing, some jobs need not wait until they are built: they begin with a first pass, an epoch in which
// each lane (a fixed share of every batch) reads whole files from front to back. The first coordinator of a job decides
// whether the job does so, and writes that to HEAD (an object in the checkpoint folder) for the whole life of the job.
// docs/design/unindexed-epoch.md says when a job begins with a first pass.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "dataloader/indexes/known_indexes.h"
#include "dataloader/pipeline/lanes/first_pass.h"
#include "trainer/loop/data/input.h"
#include "trainer/loop/data/job_files.h"
#include "trainer/loop/setup/setup.h"

namespace carrack::train {

// The Input over indexed files, which is not null, or a first pass, whose files may lack indexes.
using JobData = std::variant<std::unique_ptr<Input>, data::FirstPass>;

// Opens the data, and decides about the first pass unless HEAD has the decision already. The decision becomes valid
// only when the caller claims HEAD with it (CommitStore::claim()). Without a first pass, this blocks until all indexes,
// or the files of the manifest's snapshot, exist, and helps to build them. Meanwhile it calls `built` with the
// progress, from any thread, one call at a time. Throws Error with Blame::user if the data cannot be used, data::Error
// if the storage fails.
JobData open_data_as_coordinator(const Launch& launch, const Setup& setup, const RoleContext& context,
                                 const std::function<void(const data::IndexingProgress&)>& built);

// Opens the data as the coordinator has decided: if the job may begin with a first pass, waits until HEAD says whether
// it does. Returns nullopt if a shutdown was requested during this wait. Otherwise blocks and throws as
// open_data_as_coordinator() does.
std::optional<JobData> open_data_as_worker(const Launch& launch, const Setup& setup, const RoleContext& context);

// Returns what a coordinator needs to know about the data: its order and, without a first pass, its number of batches.
// Consumes `data`: an Input is destroyed, because a coordinator reads no records; a first pass becomes
// FoundData::first_pass.
FoundData found_in(JobData data);

}  // namespace carrack::train
