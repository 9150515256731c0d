// What of the records would trouble a training, in words. Pure.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/summary.h"

namespace carrack::data::cli {

std::vector<std::string> problems_in(const Summary& summary);

}  // namespace carrack::data::cli
