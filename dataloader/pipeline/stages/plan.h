// Plan: the description of a pipeline that Dataset makes: a tree of stages, each with the plans of its inputs. No file
// is read before open().
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

// All stages. To add one, write its struct as record_stages.h describes, and add it here and as a method of Dataset.
using Stage = std::variant<stages::Records, stages::FileNames, stages::Csv, stages::JsonLines, stages::Arrays,
                           stages::ProgramRecords, stages::MemoryRows, stages::Generate, stages::Concatenate,
                           stages::Zip, stages::Mix, stages::Interleave, stages::ShuffleRows, stages::Shard,
                           stages::Skip, stages::Take, stages::Repeat, stages::Map, stages::Parse, stages::Filter,
                           stages::Batch, stages::Pad, stages::Prefetch, stages::Cache, stages::Snapshot>;

struct Plan;
using PlanPtr = std::shared_ptr<const Plan>;

struct Plan {
  Stage stage;
  std::vector<PlanPtr> inputs = {};  // empty for sources; never nullptr
};

std::string kind_of(const Stage& stage);   // such as "csv"
std::string describe(const Stage& stage);  // its options, human-readable
// Returns the patterns of the files that a source reads; empty for other stages.
std::vector<std::string> file_patterns(const Stage& stage);

// Describes a stage and how it was opened, for a report to users.
OpenedStage opened_stage(const Stage& stage, const Opened& opened);

// Called for each stage once it is open, inputs first, on the thread that calls open(). Not called for the inputs of a
// Snapshot, which opens them itself.
using OnOpened = std::function<void(const Stage& stage, const Opened& opened)>;
// Opens all stages of the plan, inputs first. This lists and indexes files, and may write snapshots. The result copies
// what it needs of the plan. Throws an Error if a stage cannot be opened, for example because its files do not exist.
// `on_opened` must not be empty.
Opened open(
    const Plan& plan, const OpenContext& context, const OnOpened& on_opened = [](const Stage&, const Opened&) {});

// Returns the canonical text of all stages, inputs first: see canonical.h. Pipelines with the same text and the same
// data have the same rows, provided that functions of the same name do the same.
std::string canonical(const Plan& plan);

}  // namespace carrack::data
