// The report of `carrack data bench`, for people and for machines. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/report.h"

namespace carrack::data::cli {

// One measurement: a pipeline that was read over and over, for some seconds.
struct BenchRun {
  std::string name;
  double open_seconds = 0;          // to open the pipeline
  double seconds = 0;               // of reading, after it was opened
  std::uint64_t rows = 0;           // that were read in `seconds`
  std::uint64_t bytes = 0;          // that these rows take in the files; in memory if that is unknown
  std::uint64_t rows_in_files = 0;  // 0 if unknown
  // Unusable rows: those in the first pass over the files, or in everything that was read if rows_in_files is 0.
  std::uint64_t skipped_rows = 0;
  Measured measured = {};
  std::string timeline = {};  // Reading::timeline()
};

// A line for each run, then the stages of the last one and what would make it faster. There is at least one run.
std::string bench_text(const std::vector<BenchRun>& runs);
// One object on one line.
std::string bench_json(const std::vector<BenchRun>& runs);

}  // namespace carrack::data::cli
