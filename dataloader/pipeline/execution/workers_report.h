// How many threads a pool of Workers uses, and what share of their time they wait.
#pragma once

#include <cstdint>

namespace carrack::data {

// `tasks` is counted until the report; the other fields were set when the number of threads was last tuned.
struct WorkersReport {
  unsigned threads = 0;  // number of tasks that may run at the same time
  // The share of their time, 0 to 1, that tasks waited for storage or locks; 0 before the first tuning.
  double waiting_share = 0;
  std::uint64_t tasks = 0;  // number of tasks that have ended
};

}  // namespace carrack::data
