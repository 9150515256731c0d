// StallThreshold: learns from past requests after what time without progress a request counts as stalled. A request
// makes progress each time 64 KiB have arrived. Safe for many threads.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "dataloader/mutex.h"

namespace carrack::data {

class StallThreshold {
 public:
  // Adds the longest time without progress of one request that has ended. Call this even for requests that were given
  // up, so that a service that has become slow soon raises the limit.
  void add(std::chrono::microseconds longest);

  // Returns three times the time that one in a hundred of the latest 512 requests exceeded, but at least 250 ms.
  // Returns one second until add() was called eight times.
  std::chrono::microseconds limit() const;

 private:
  static constexpr std::size_t remembered = 512;  // number of requests
  mutable Mutex mutex_;
  std::array<std::chrono::microseconds, remembered> latest_ GUARDED_BY(mutex_){};
  std::size_t count_ GUARDED_BY(mutex_) = 0;  // number of calls of add()
};

}  // namespace carrack::data
