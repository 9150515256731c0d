// Formats the report of `carrack data bench`, as text or as JSON. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/report.h"

namespace carrack::data::cli {

// The result of one measurement. `bench` reads a pipeline for some seconds: over and over if its rows are few, and not
// even once to its end if they are many.
struct BenchRun {
  std::string name;                 // of the pipeline, such as "parsed, shuffled"
  double open_seconds = 0;          // the time that opening the pipeline took
  double seconds = 0;               // the time that reading took, without opening
  std::uint64_t rows = 0;           // rows that were read in `seconds`; a row counts each time that it is read
  std::uint64_t bytes = 0;          // about the size of these rows in the files, or in memory if that is unknown
  std::uint64_t rows_in_files = 0;  // the number of rows in the files, also those that cannot be used; 0 if unknown
  // The number of rows that could not be used: in the first pass over the files, as far as it was read, or in all
  // passes if rows_in_files is 0.
  std::uint64_t skipped_rows = 0;
  Measured measured = {};
  std::string timeline = {};  // the trace for chrome://tracing, from Reading::timeline(); not part of the reports
};

// Returns a table with a line for each run, then how long each stage of the last run took, and advice on what would
// make it faster. `runs` must not be empty.
std::string bench_text(const std::vector<BenchRun>& runs);
// Returns one JSON object on one line; docs/reference/data.md lists its members.
std::string bench_json(const std::vector<BenchRun>& runs);

}  // namespace carrack::data::cli
