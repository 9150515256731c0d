// Finds what is likely to disturb a training: NaN, constant features, features of several types, and so on. Pure.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/summary/summary.h"

namespace carrack::data::cli {

// Returns a sentence for each problem; empty if there is none. The sentences about a feature begin with its name. A
// sentence about the records may come before them.
std::vector<std::string> find_problems(const Summary& summary);

}  // namespace carrack::data::cli
