// The report that `carrack data stats` prints. Pure.
#pragma once

#include <string>

#include "dataloader/cli/summary/survey.h"

namespace carrack::data::cli {

std::string stats_text(const Survey& survey);

}  // namespace carrack::data::cli
