// A survey as one JSON object on one line, as docs/reference/data.md describes it. Pure.
#pragma once

#include <string>

#include "dataloader/cli/summary/survey.h"

namespace carrack::data::cli {

// Returns the files and their damage. If `summarized`, adds the message types, the features and, unless a feature was
// selected, the lines for a manifest.
std::string survey_json(const Survey& survey, bool summarized);

}  // namespace carrack::data::cli
