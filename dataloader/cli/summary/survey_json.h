// A survey as one JSON object on one line, as docs/reference/data.md describes it. Pure.
#pragma once

#include <string>

#include "dataloader/cli/summary/survey.h"

namespace carrack::data::cli {

// The files and their damage; if `summarized`, also the messages, the features and, unless a feature was selected, the
// lines for a manifest.
std::string survey_json(const Survey& survey, bool summarized);

}  // namespace carrack::data::cli
