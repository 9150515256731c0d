// WorkersReport: how many threads a pool of Workers uses, and what share of their time its tasks wait. For the advice
// in report.h.
#pragma once

#include <cstdint>

namespace carrack::data {

// `tasks` is up to date. The other fields change only when the pool tunes its number of threads.
struct WorkersReport {
  unsigned threads = 0;  // number of tasks that may run at the same time
  // The share of their time, 0 to 1, that all tasks so far waited for storage or locks; 0 before the first tuning.
  double waiting_share = 0;
  std::uint64_t tasks = 0;  // number of tasks that have ended
};

}  // namespace carrack::data
