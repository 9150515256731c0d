// What bench and explain do with files: a pipeline as a training would have it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/row_inputs.h"
#include "dataloader/pipeline/reading.h"

namespace carrack::data::cli {

// What is asked for, with this environment for a program. Throws Refused, also where a file is named as records and
// holds none.
Inputs inputs_to_read(const Request& request, const Storages& storages, const std::vector<std::string>& environment);

// What the files give, as it comes: records, or rows.
Dataset as_it_comes(const Inputs& inputs);

// With all features that the first records have; nothing where these are no Examples, or a program's.
std::optional<Dataset> parsed(const Request& request, const Storages& storages, const Inputs& inputs);

// With the threads and the memory that this process may use.
ReadingOptions means_for(const Request& request);

}  // namespace carrack::data::cli
