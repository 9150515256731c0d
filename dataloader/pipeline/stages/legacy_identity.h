// The identity of a pipeline in saved states and snapshots of format version 1. It is used only to recognize such
// states and snapshots of earlier releases, so it must never change. Later versions of the formats use canonical()
// (plan.h).
//
// This identity consists of the descriptions of the stages, which users see. So if you reword the description of a
// stage, make legacy_identity.cc return the earlier words.
#pragma once

#include <string>

#include "dataloader/pipeline/stages/plan.h"

namespace carrack::data {

// Returns the text of all stages, inputs first, such as "records(x-*.tfrecord) > parse(record: id int64)".
std::string legacy_identity(const Plan& plan);
// Returns the options of one stage, which legacy_identity() writes in parentheses after its kind; empty if it has none.
std::string legacy_options(const Stage& stage);

}  // namespace carrack::data
