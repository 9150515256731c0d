// The identity that pipelines had before canonical.h: prose, in saved states and snapshots of format version 1. It is
// computed only to recognise those, and never changes: it is the description of each stage, but for those whose
// description is another one now.
#pragma once

#include <string>

#include "dataloader/pipeline/stages/plan.h"

namespace carrack::data {

// All stages, inputs first: "records(x-*.tfrecord) > parse(record: id int64)".
std::string legacy_identity(const Plan& plan);
// The options of one stage, as they stood in its parentheses.
std::string legacy_options(const Stage& stage);

}  // namespace carrack::data
