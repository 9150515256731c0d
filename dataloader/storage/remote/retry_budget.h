// How many requests there may be beyond those that are needed: a share of them, and a few in store. So a service in
// trouble is not asked many times over. For many threads.
#pragma once

#include <algorithm>
#include <mutex>

namespace carrack::data {

class RetryBudget {
 public:
  RetryBudget(double share, double most) : share_(share), most_(most), left_(most) {}

  // One was needed.
  void earn() {
    const std::lock_guard lock(mutex_);
    left_ = std::min(left_ + share_, most_);
  }
  // Whether there may be one more, which is then taken.
  bool spend() {
    const std::lock_guard lock(mutex_);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  const double share_;
  const double most_;
  std::mutex mutex_;  // Guards left_.
  double left_;
};

}  // namespace carrack::data
