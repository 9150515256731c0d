// What `carrack data inspect` prints. Pure.
#pragma once

#include <string>

#include "dataloader/cli/survey.h"

namespace carrack::data::cli {

std::string inspect_text(const Survey& survey);

}  // namespace carrack::data::cli
