// The report of `carrack data bench`: how many rows each stage of a pipeline has processed, in what time, and where the
// bottleneck is. Pure functions. Reading::measured() returns the Measured, and Reading::timeline() a chrome_trace().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/execution/workers_report.h"
#include "dataloader/pipeline/stages/stage_totals.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

// Measurements of a Reading, from when it began to open the pipeline until the call of Reading::measured().
struct Measured {
  std::vector<StageTotals> stages = {};  // inputs first
  WorkersReport workers = {};
  unsigned cpus = 1;                   // as in ReadingOptions
  unsigned max_threads = 1;            // as in ReadingOptions
  std::uint64_t passed_ns = 0;         // elapsed time, with that of opening the pipeline
  std::uint64_t reader_waited_ns = 0;  // time that next() waited for results
  std::uint64_t rows = 0;              // number of rows that next() returned
  std::uint64_t files = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t lost = 0;                // number of rows that were left out
  std::vector<Corrupt> first_lost = {};  // the first of them; Reading stores at most 100
};

// Returns what the bottleneck is and what would help, for the user: one sentence each, the most useful first, such as
// "storage is the narrowest: threads wait for it 80% of their time, ...". May be empty.
std::vector<std::string> advice(const Measured& measured);

// Returns a table of the stages, the advice, and what was left out, as lines for the user.
std::string format_report(const Measured& measured);

// Returns the spans as JSON for chrome://tracing and Perfetto. Span::stage is an index into `stages`.
std::string chrome_trace(const std::vector<StageTotals>& stages, const std::vector<Span>& spans);

}  // namespace carrack::data
