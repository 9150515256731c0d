// The report that `carrack data inspect` prints. Pure.
#pragma once

#include <string>

#include "dataloader/cli/summary/survey.h"

namespace carrack::data::cli {

std::string inspect_text(const Survey& survey);

}  // namespace carrack::data::cli
