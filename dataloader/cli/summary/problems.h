// Finds what is likely to disturb a training: NaN, constant features, features of several types, and so on. Pure.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/summary/summary.h"

namespace carrack::data::cli {

// One sentence for each problem, which begins with the name of the feature.
std::vector<std::string> find_problems(const Summary& summary);

}  // namespace carrack::data::cli
