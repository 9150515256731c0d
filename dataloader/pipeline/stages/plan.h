// What a pipeline does, as a value: a stage and the plans of its inputs. Nothing is read before it is opened.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dataloader/pipeline/stages/array_stage.h"
#include "dataloader/pipeline/stages/join_stages.h"
#include "dataloader/pipeline/stages/order_stages.h"
#include "dataloader/pipeline/stages/program_stage.h"
#include "dataloader/pipeline/stages/record_stages.h"
#include "dataloader/pipeline/stages/row_stages.h"
#include "dataloader/pipeline/stages/snapshot_stage.h"
#include "dataloader/pipeline/stages/text_stages.h"

namespace carrack::data {

// All stages there are. A new one is a struct as record_stages.h says, an entry here, and a method of Dataset.
using Stage = std::variant<stages::Records, stages::FileNames, stages::Csv, stages::JsonLines, stages::Arrays,
                           stages::ProgramRecords, stages::MemoryRows, stages::Generate, stages::Concatenate,
                           stages::Zip, stages::Mix, stages::Interleave, stages::ShuffleRows, stages::Shard,
                           stages::Skip, stages::Take, stages::Repeat, stages::Map, stages::Parse, stages::Filter,
                           stages::Batch, stages::Pad, stages::Prefetch, stages::Cache, stages::Snapshot>;

struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;

struct Plan {
  Stage stage;
  std::vector<PlanPtr> inputs = {};  // none for sources
};

std::string kind_of(const Stage& stage);   // "csv", for instance
std::string describe(const Stage& stage);  // its options, for people
// The patterns of the files that a source reads; none for other stages.
std::vector<std::string> file_patterns(const Stage& stage);

// Describes a stage, and what it became when it was opened, for a report to users.
OpenedStage opened_stage(const Stage& stage, const Opened& opened);

// Called for each stage once it is opened, inputs first, but not for the inputs of a Snapshot, which opens them itself.
using OnOpened = std::function<void(const Stage& stage, const Opened& opened)>;
// Opens all stages of the plan. Throws an Error if a stage cannot be opened, such as for files that do not exist.
Opened open(
    const Plan& plan, const OpenContext& context, const OnOpened& on_opened = [](const Stage&, const Opened&) {});

// The canonical text of all stages, inputs first, see canonical.h. Pipelines with the same text and the same data give
// the same rows, as far as the names of functions tell them apart.
std::string canonical(const Plan& plan);

}  // namespace carrack::data
