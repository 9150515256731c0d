// RetryBudget: limits extra requests, such as retries and hedges, so that a service in trouble does not get many times
// the usual load. Each needed request earns a fraction of an extra request. Safe for many threads.
#pragma once

#include <algorithm>

#include "dataloader/check.h"
#include "dataloader/mutex.h"

namespace carrack::data {

class RetryBudget {
 public:
  struct Limits {
    double share = 0;        // extra requests that each needed request earns, such as 0.1
    double reserve_max = 0;  // maximum of extra requests that are saved up; the reserve is full at the start
  };
  explicit RetryBudget(const Limits& limits) : limits_(limits), reserve_(limits.reserve_max) {}

  // Call this for each needed request.
  void earn() {
    const MutexLock lock(mutex_);
    reserve_ = std::min(reserve_ + limits_.share, limits_.reserve_max);
  }
  // Call this before each extra request. Takes it from the reserve and returns true, or returns false if the reserve
  // has less than one: the extra request must then be left out or delayed.
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
