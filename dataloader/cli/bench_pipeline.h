// For the commands `carrack data bench`, which measures how fast files can be read, and `carrack data explain`, which
// describes how they would be read. Turns their FILES into data sets that read the files as a training job does. A
// Dataset only describes what to read; a Reading (pipeline/reading.h) opens and reads it. But some rows are read
// before: open_inputs() reads rows of CSV and JSON lines to find their types, and functions below read the first
// records of TFRecord files. The Inputs and Datasets point into `request`, which must outlive them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataloader/cli/inputs.h"
#include "dataloader/pipeline/reading.h"

namespace carrack::data::cli {

// Calls open_inputs(), which may throw. Then reads the first records of TFRecord files, about 1,000 in all, and throws
// Refused if a file holds something else than records.
Inputs open_bench_inputs(const Request& request, const Storages& storages);

// Returns the rows of the inputs in order. Each row of TFRecords and of programs has one column, "record": the bytes of
// a record, such as a tf.Example that is not parsed. Rows of CSV, JSON lines and arrays have the columns of the files.
Dataset unparsed_rows(const Inputs& inputs);

// Returns the rows of the inputs in order, with a column for each feature. For TFRecords it first reads about 1,000
// records, the first of each file, to find their features; it leaves out features that have several types. Returns
// nullopt for a program, if one of these records is not a tf.Example or tf.SequenceExample, and if no feature is left.
// For other files this is the same as unparsed_rows().
std::optional<Dataset> parsed_rows(const Request& request, const Storages& storages, const Inputs& inputs);

// Returns the options for reading these data sets: thread_count() CPUs, and a quarter of the memory that this process
// may use, at most 1 GiB. Damage is skipped unless --on-damage says otherwise.
ReadingOptions reading_options(const Request& request);

}  // namespace carrack::data::cli
