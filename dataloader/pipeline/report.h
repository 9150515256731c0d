// Reports what an open pipeline has used and where its bottleneck is. Pure functions of what was measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/execution/workers_report.h"
#include "dataloader/pipeline/stages/stage_totals.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

// What was measured of an open pipeline, from when it was opened until now.
struct Measured {
  std::vector<StageTotals> stages = {};  // inputs first
  WorkersReport workers = {};
  unsigned cpus = 1;
  unsigned max_threads = 1;
  std::uint64_t passed_ns = 0;         // since it was opened
  std::uint64_t reader_waited_ns = 0;  // how long next() waited for results
  std::uint64_t rows = 0;              // returned by next()
  std::uint64_t files = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t lost = 0;                // rows that were left out
  std::vector<Corrupt> first_lost = {};  // the first of them; Reading keeps at most 100
};

// Says what the bottleneck is and what would help: one sentence each, the most useful first.
std::vector<std::string> advice(const Measured& measured);

// A table of the stages, the advice, and what was left out.
std::string format_report(const Measured& measured);

// The spans as JSON for chrome://tracing and Perfetto. Span::stage is an index into `stages`.
std::string chrome_trace(const std::vector<StageTotals>& stages, const std::vector<Span>& spans);

}  // namespace carrack::data
