// The identity of a pipeline in saved states and snapshots of format version 1: the descriptions of its stages. Later
// versions have the canonical text (canonical.h) instead. The old identity is computed only to recognize states and
// snapshots of version 1, so it must never change. For stages whose description was reworded since, legacy_identity.cc
// has the old words.
#pragma once

#include <string>

#include "dataloader/pipeline/stages/plan.h"

namespace carrack::data {

// All stages, inputs first: "records(x-*.tfrecord) > parse(record: id int64)".
std::string legacy_identity(const Plan& plan);
// The options of one stage, which legacy_identity() writes in parentheses after the stage's kind; may be empty.
std::string legacy_options(const Stage& stage);

}  // namespace carrack::data
