// The pipelines that `bench` measures and `explain` describes: they read the files as a training would.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/inputs.h"
#include "dataloader/pipeline/reading.h"

namespace carrack::data::cli {

// Opens the inputs as open_inputs() does. Of TFRecord files it also reads the first records, and throws Refused if a
// file holds something else.
Inputs open_bench_inputs(const Request& request, const Storages& storages);

// The rows of the inputs in order. TFRecords and programs give a column "record" that is not parsed; other files give
// their columns.
Dataset unparsed_rows(const Inputs& inputs);

// The rows of the inputs in order, with a column for each feature. The features of TFRecords are found in the first
// 1,000 records; features of several types are left out. nullopt for a program, if one of these records is not a
// tf.Example or tf.SequenceExample, and if there are no features.
std::optional<Dataset> parsed_rows(const Request& request, const Storages& storages, const Inputs& inputs);

// Plans for the CPUs of --threads and a quarter of this process's memory, at most 1 GiB. Damage is skipped unless
// --on-damage says otherwise.
ReadingOptions reading_options(const Request& request);

}  // namespace carrack::data::cli
