// Opens a job's data when a process starts, and decides whether the job begins with a first pass, before its data is
// indexed. The coordinator that claims HEAD first decides that for the whole life of the job; workers wait for its
// decision. docs/design/unindexed-epoch.md says when a job begins with a first pass.
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
// waits for indexes or files of a snapshot, it calls `built` with the progress, from any thread, one call at a time.
// Throws Error with Blame::user if the data cannot be used.
JobData open_data_as_coordinator(const Launch& launch, const Setup& setup, const RoleContext& context,
                                 const std::function<void(const data::IndexingProgress&)>& built);

// Opens the data. If the job may begin with a first pass, waits until HEAD says whether it does. Returns nullopt if a
// shutdown was requested during that wait. Throws Error with Blame::user if the data cannot be used.
std::optional<JobData> open_data_as_worker(const Launch& launch, const Setup& setup, const RoleContext& context);

// Returns what a coordinator, which reads no records, needs to know about the data.
FoundData found_in(JobData data);

}  // namespace carrack::train
