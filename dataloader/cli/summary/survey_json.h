// Formats a Survey for `carrack data inspect`, `stats` and `verify` with --json. Pure.
#pragma once

#include <string>

#include "dataloader/cli/summary/survey.h"

namespace carrack::data::cli {

// Returns one JSON object on one line, with a line break at its end; docs/reference/data.md describes its members. It
// has the files and their damage. If `summarized` (inspect and stats), it also has the message types, the features and,
// unless --feature selected one, the lines for a job's manifest.
std::string survey_json(const Survey& survey, bool summarized);

}  // namespace carrack::data::cli
