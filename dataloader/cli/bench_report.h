// The report of `carrack data bench`, for people and for machines. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/report.h"

namespace carrack::data::cli {

// One measurement: a pipeline that was read for some seconds.
struct BenchRun {
  std::string name;
  double open_seconds = 0;
  double seconds = 0;  // of reading, after it was opened
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rows_in_files = 0;  // 0 if unknown
  std::uint64_t skipped_rows = 0;   // unusable rows in one pass over the files, or in all that was read if unknown
  Measured measured = {};
  std::string timeline = {};
};

// A line for each run, then the stages of the last one and what would make it faster.
std::string bench_text(const std::vector<BenchRun>& runs);
// One object on one line.
std::string bench_json(const std::vector<BenchRun>& runs);

}  // namespace carrack::data::cli
