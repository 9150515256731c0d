// The pipelines that `bench` measures and `explain` describes: the files as a training would read them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/inputs.h"
#include "dataloader/pipeline/reading.h"

namespace carrack::data::cli {

// As open_inputs(); throws Refused also if a file that should hold records holds none.
Inputs open_bench_inputs(const Request& request, const Storages& storages);

// The rows of the inputs in order: records, or the columns of other files.
Dataset unparsed_rows(const Inputs& inputs);

// Rows with a column for each feature that the first 1,000 records have. nullopt for a program, and for records that
// are no Examples.
std::optional<Dataset> parsed_rows(const Request& request, const Storages& storages, const Inputs& inputs);

// The threads and the memory that this process may use.
ReadingOptions reading_options(const Request& request);

}  // namespace carrack::data::cli
