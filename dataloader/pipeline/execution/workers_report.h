// How many threads Workers runs, as its tuning has found.
#pragma once

#include <cstdint>

namespace carrack::data {

// What tuning has found, for reports.
struct WorkersReport {
  unsigned threads = 0;      // that run tasks at once
  double waiting_share = 0;  // the share of the tasks' time that they waited for storage
  std::uint64_t tasks = 0;
};

}  // namespace carrack::data
