// What was found, for machines: one JSON object. Pure.
#pragma once

#include <string>

#include "dataloader/cli/survey.h"

namespace carrack::data::cli {

// Files and damage; what the records and their features are, if that was looked at.
std::string survey_json(const Survey& survey, bool summarised);

}  // namespace carrack::data::cli
