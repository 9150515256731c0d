// Stop: ends an HTTP request from another thread, wherever the request waits. Safe for many threads, but only one
// request at a time may use it.
#pragma once

#include <functional>

#include "dataloader/mutex.h"

namespace carrack::data {

// The failure of a Socket or AddressLookup that was stopped; HttpReply::failure then contains this text.
inline constexpr const char* was_stopped = "was stopped";

class Stop {
 public:
  // Ends the request that uses this, and each later one as soon as it begins: a Stop cannot be reset. Returns
  // immediately; the request ends soon afterwards. A request that is over is not affected.
  void stop();
  bool stopped() const;

  // Called by the request: sets the function that ends its waits, in place of the previous one; nullptr: none. stop()
  // calls `end` in the thread of its caller, with a lock held, so `end` must neither wait, throw nor call this object.
  // Call watch(nullptr) before anything that `end` uses is destroyed. Returns false if stop() was called before: `end`
  // is then not called for it, so do not wait.
  bool watch(std::function<void()> end);

 private:
  mutable Mutex mutex_;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::function<void()> end_ GUARDED_BY(mutex_);
};

}  // namespace carrack::data
