// What a pipeline took, and what that says: pure functions of what was measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataloader/pipeline/execution/workers.h"
#include "dataloader/pipeline/stages/profile.h"
#include "dataloader/records/corrupt.h"

namespace carrack::data {

struct Measured {
  std::vector<StageTotals> stages;  // the source first
  Workers::Report workers;
  unsigned cpus = 1;
  unsigned most_threads = 1;
  std::uint64_t passed_ns = 0;  // since it was opened
  std::uint64_t reader_waited_ns = 0;
  std::uint64_t rows = 0;
  std::uint64_t files = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t lost = 0;                // records that were left out
  std::vector<Corrupt> lost_first = {};  // some of them
};

// Which part is the narrowest, and what would help: a sentence each, the first one most.
std::vector<std::string> advice(const Measured& measured);

// A table of the stages, the advice, and what was left out.
std::string in_words(const Measured& measured);

// As chrome://tracing and Perfetto read it.
std::string chrome_trace(const std::vector<StageTotals>& stages, const std::vector<Span>& spans);

}  // namespace carrack::data
