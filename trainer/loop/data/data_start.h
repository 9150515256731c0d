// Opens a job's data when a process starts, and decides whether the job begins with a first pass, before its data is
// indexed. The coordinator that claims HEAD first decides that for the whole life of the job; workers wait for it.
// docs/design/unindexed-epoch.md says when a job does so.
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

using JobData = std::variant<std::unique_ptr<Input>, data::FirstPass>;  // an Input over indexed files, or a first pass

// Opens the data. The decision about the first pass becomes valid only when the caller writes it to HEAD. While this
// waits for indexes or files of a snapshot, it calls `built` with the progress. Throws Error with Blame::user if the
// data cannot be used.
JobData open_data_as_coordinator(const Launch& launch, const Setup& setup, const RoleContext& context,
                                 const std::function<void(const data::IndexingProgress&)>& built);

// Waits until HEAD says how the job begins. Returns nullopt if a shutdown was requested before that.
std::optional<JobData> open_data_as_worker(const Launch& launch, const Setup& setup, const RoleContext& context);

// For a coordinator, which reads no records.
FoundData found_in(JobData data);

}  // namespace carrack::train
