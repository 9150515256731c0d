// The identity of a pipeline in saved states and snapshots of format version 1: the descriptions of its stages. Later
// versions have the canonical text (canonical.h) instead. This identity serves only to recognize states and snapshots
// of version 1, so it must never change. If a stage's description is reworded, legacy_identity.cc keeps the old words.
#pragma once

#include <string>

#include "dataloader/pipeline/stages/plan.h"

namespace carrack::data {

// The text of all stages, inputs first: "records(x-*.tfrecord) > parse(record: id int64)".
std::string legacy_identity(const Plan& plan);
// The options of one stage, which legacy_identity() writes in parentheses after the stage's kind; empty if it has none.
std::string legacy_options(const Stage& stage);

}  // namespace carrack::data
