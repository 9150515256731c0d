// StallThreshold: learns from past requests after what time without progress a request counts as stalled, so that the
// FetchPool sends a hedge (a second request for the same bytes). A request makes progress each time 64 KiB have
// arrived. Safe for many threads.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "dataloader/mutex.h"

namespace carrack::data {

class StallThreshold {
 public:
  // Call this at the end of each request, with its longest time without progress. Call it also for requests that were
  // cancelled, so that a service that has become slow soon raises the limit.
  void add(std::chrono::microseconds longest);

  // Returns the time after which a request counts as stalled: three times the 99th percentile of the latest 512
  // requests, but at least 250 ms. Returns one second until add() was called eight times.
  std::chrono::microseconds limit() const;

 private:
  static constexpr std::size_t remembered = 512;  // number of requests
  mutable Mutex mutex_;
  std::array<std::chrono::microseconds, remembered> latest_ GUARDED_BY(mutex_){};
  std::size_t count_ GUARDED_BY(mutex_) = 0;  // number of calls of add()
};

}  // namespace carrack::data
