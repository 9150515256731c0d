// The report of `carrack data bench` as text and as JSON. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/report.h"

namespace carrack::data::cli {

// One measurement of a pipeline, which is read repeatedly until the time is over.
struct BenchRun {
  std::string name;
  double open_seconds = 0;  // the time to open the pipeline
  double seconds = 0;       // the time of reading, without opening
  std::uint64_t rows = 0;   // read in `seconds`
  std::uint64_t bytes = 0;  // about how many bytes these rows have in the files, or in memory if that is unknown
  std::uint64_t rows_in_files = 0;  // 0 if unknown
  // The rows that cannot be used: in the first pass over the files, or in all passes if rows_in_files is 0.
  std::uint64_t skipped_rows = 0;
  Measured measured = {};
  std::string timeline = {};  // Reading::timeline(); not part of the reports
};

// A line for each run, then the stages of the last run and what would make it faster. `runs` must not be empty.
std::string bench_text(const std::vector<BenchRun>& runs);
// One JSON object on one line, docs/reference/data.md.
std::string bench_json(const std::vector<BenchRun>& runs);

}  // namespace carrack::data::cli
