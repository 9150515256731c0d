// Stop: ends a request from another thread, wherever the request waits. Safe for many threads; for one request at a
// time.
#pragma once

#include <functional>

#include "dataloader/mutex.h"

namespace carrack::data {

// The failure of a request that was stopped.
inline constexpr const char* was_stopped = "was stopped";

class Stop {
 public:
  // Ends the request that runs, and every later one at once. A request that is over is not affected.
  void stop();
  bool stopped() const;

  // For the request: sets what ends the wait that it begins now. stop() calls `end`, in its own thread and under a
  // lock, so `end` must neither wait nor call back. Before anything that `end` uses is destroyed, call this with
  // nullptr. Returns false if stop() was called before.
  bool watch(std::function<void()> end);

 private:
  mutable Mutex mutex_;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::function<void()> end_ GUARDED_BY(mutex_);
};

}  // namespace carrack::data
