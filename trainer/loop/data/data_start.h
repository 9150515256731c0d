// Whether a job begins before its data is indexed: decided once, by the coordinator that first claims HEAD, and for
// good; workers wait for its word. docs/design/unindexed-epoch.md says when.
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

using JobData = std::variant<std::unique_ptr<Input>, data::FirstPass>;

// A coordinator's. What it decides holds once HEAD says so.
// `made` is told how far indexes, or files of the snapshot, are, where the job waits for them.
JobData data_to_begin_with(const Launch& launch, const Setup& setup, const RoleContext& context,
                           const std::function<void(const data::IndexingProgress&)>& made);

// A worker's. Nothing where it was asked to leave before it was decided.
std::optional<JobData> data_that_was_begun_with(const Launch& launch, const Setup& setup, const RoleContext& context);

FoundData found_in(JobData& data);

}  // namespace carrack::train
