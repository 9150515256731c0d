// Formats the report that `carrack data inspect` prints. Pure.
#pragma once

#include <string>

#include "dataloader/cli/summary/survey.h"

namespace carrack::data::cli {

// Returns several lines: a table of the files, the first 10 damaged spans, the message type of the records, a table of
// the features, and the `data.features` of a job's manifest that fits them. Without a tf.Example or tf.SequenceExample
// the last two are missing; without records it returns only the table of the files and the damage.
std::string inspect_text(const Survey& survey);

}  // namespace carrack::data::cli
