// How many threads a pool of Workers uses, and for how much of their time they wait.
#pragma once

#include <cstdint>

namespace carrack::data {

// As of the last time that the number of threads was tuned, except for `tasks`.
struct WorkersReport {
  unsigned threads = 0;      // how many tasks may run at once
  double waiting_share = 0;  // the share of their time that tasks waited for storage or locks; 0 at first
  std::uint64_t tasks = 0;   // that have ended by now
};

}  // namespace carrack::data
