// The pipelines that `bench` measures and `explain` describes. They read the files as a training would. The inputs and
// data sets point into `request`, which must outlive them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/inputs.h"
#include "dataloader/pipeline/reading.h"

namespace carrack::data::cli {

// Opens the inputs, and throws, as open_inputs() does. Also reads the first records of TFRecord files, and throws
// Refused if a file holds something else.
Inputs open_bench_inputs(const Request& request, const Storages& storages);

// Returns the rows of the inputs in order. Rows of TFRecords and of programs have one column, "record", with the bytes
// of the record; rows of other files have the columns of the files.
Dataset unparsed_rows(const Inputs& inputs);

// Returns the rows of the inputs in order, with a column for each feature. Finds the features of TFRecords in about
// 1,000 records, the first of each file, and leaves out features of several types. Returns nullopt for a program, if
// one of these records is not a tf.Example or tf.SequenceExample, and if no feature is found.
std::optional<Dataset> parsed_rows(const Request& request, const Storages& storages, const Inputs& inputs);

// Returns options that use thread_count() CPUs and a quarter of this process's memory, at most 1 GiB. Damage is skipped
// unless --on-damage says otherwise.
ReadingOptions reading_options(const Request& request);

}  // namespace carrack::data::cli
