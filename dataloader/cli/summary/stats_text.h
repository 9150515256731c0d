// Formats the report that `carrack data stats` prints. Pure.
#pragma once

#include <string>

#include "dataloader/cli/summary/survey.h"

namespace carrack::data::cli {

// Returns several lines: the totals of the records, statistics of each feature with a histogram, likely problems
// (find_problems()), the damage, and the speed of reading.
std::string stats_text(const Survey& survey);

}  // namespace carrack::data::cli
