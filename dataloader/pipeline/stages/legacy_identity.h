// The identity of a pipeline in saved states and snapshots of format version 1: the descriptions of its stages. Later
// versions use the canonical text (canonical.h). This identity is only used to recognize states and snapshots of
// version 1, so it must never change. If the description of a stage is reworded, legacy_identity.cc must keep the old
// words.
#pragma once

#include <string>

#include "dataloader/pipeline/stages/plan.h"

namespace carrack::data {

// Returns the text of all stages, inputs first, such as "records(x-*.tfrecord) > parse(record: id int64)".
std::string legacy_identity(const Plan& plan);
// Returns the options of one stage, which legacy_identity() writes in parentheses after its kind; empty if it has none.
std::string legacy_options(const Stage& stage);

}  // namespace carrack::data
