// Finds problems in data that are likely to spoil a training, for the report of `carrack data stats`: NaN, features
// with the same value in all records, features of several types, and so on. Pure.
#pragma once

#include <string>
#include <vector>

#include "dataloader/cli/summary/summary.h"

namespace carrack::data::cli {

// Returns a sentence for the user about each problem, such as "age: is absent from 3 of 100 records"; empty if there is
// none. A sentence about the records may come first; the others begin with the name of a feature.
std::vector<std::string> find_problems(const Summary& summary);

}  // namespace carrack::data::cli
