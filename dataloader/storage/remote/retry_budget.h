// RetryBudget: limits extra requests, such as retries and hedges, so that a service in trouble does not get many times
// the usual load. Each usual request earns a fraction of an extra request: with a share of 0.1, at most one request in
// eleven is extra, apart from a reserve. Safe for many threads.
#pragma once

#include <algorithm>

#include "dataloader/check.h"
#include "dataloader/mutex.h"

namespace carrack::data {

class RetryBudget {
 public:
  struct Limits {
    double share = 0;        // extra requests that each usual request earns, such as 0.1
    double reserve_max = 0;  // maximum of extra requests that are saved up; the reserve is full at the start
  };
  explicit RetryBudget(const Limits& limits) : limits_(limits), reserve_(limits.reserve_max) {}

  // Call this for each usual request. GcsClient does so for each that does not fail, FetchPool for each RangeFetch.
  void earn() {
    const MutexLock lock(mutex_);
    reserve_ = std::min(reserve_ + limits_.share, limits_.reserve_max);
  }
  // Call this before each extra request. Returns true if it may be sent, and subtracts it from the reserve. Returns
  // false if the reserve is less than one: the caller must then leave the extra request out or delay it.
  bool spend() {
    const MutexLock lock(mutex_);
    if (reserve_ < 1) return false;
    reserve_ -= 1;
    CHECK_GE(reserve_, 0.0);
    return true;
  }

 private:
  const Limits limits_;
  Mutex mutex_;
  double reserve_ GUARDED_BY(mutex_);  // in extra requests
};

}  // namespace carrack::data
