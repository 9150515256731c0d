// The commands of `carrack data`, such as `carrack data inspect FILES`. data_command() parses the command line and
// calls one of them.
//
// Each reads the files, prints its result to standard output, and returns the exit code. The code is 1 if the command
// has reported a problem with a file: the file is damaged, cannot be read, is no TFRecord file (no problem for
// inspect), or cannot be indexed. Otherwise it is 0, also if convert, bench or explain has left out damage. An empty
// TFRecord file is no problem, but bench throws Refused if there is no row to read.
//
// They throw Refused for a request that cannot be carried out, and Error if storage fails or damage ends the command.
// They throw ClosedPipe and Interrupted as terminal.h says; before defer_interrupts(), a signal ends the process.
#pragma once

#include "dataloader/cli/request.h"
#include "dataloader/storage/storages.h"

namespace carrack::data::cli {

// Prints the kind of each file, the features of the first records, and the `data.features` for a job's manifest.
int inspect(const Request& request, const Storages& storages);
// Prints the first records as JSON.
int head(const Request& request, const Storages& storages);
// Reads all files and prints where they are damaged: at most the first 1,000 places of each file.
int verify(const Request& request, const Storages& storages);
// Writes an index of each file (where each record begins), unless an index that fits exists. With --check it writes
// nothing, and returns 1 if an index is missing or does not fit.
int index(const Request& request, const Storages& storages);
// Reads all records and prints statistics of each feature.
int stats(const Request& request, const Storages& storages);
// Writes the records or rows of the files to new files of TFRecords or JSON lines.
int convert(const Request& request, const Storages& storages);
// Measures how fast this machine reads the files.
int bench(const Request& request, const Storages& storages);
// Prints how a job would read the files: stages, requests, threads, memory.
int explain(const Request& request, const Storages& storages);

}  // namespace carrack::data::cli
