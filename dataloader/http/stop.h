// Stop: a cancellation token. Set HttpRequest::stop to it, and call stop() from another thread to end that request,
// whatever the request waits for. The trainer also ends the opening of a connection between members with it
// (member_socket.h). Safe for many threads, but only one request or opening at a time may use it.
#pragma once

#include <functional>

#include "dataloader/mutex.h"

namespace carrack::data {

// The failure text of a Socket or AddressLookup that was stopped; HttpReply::failure then contains it.
inline constexpr const char* was_stopped = "was stopped";

class Stop {
 public:
  // Ends the request that uses this, and each later one as soon as it begins: a Stop cannot be reset. Returns
  // immediately; the request ends soon afterwards, with a reply that is not complete. A request that is over is not
  // affected.
  void stop();
  // True if stop() was called.
  bool stopped() const;

  // Only for the code that runs the request. Sets the function that stop() calls to end its waits, in place of the
  // previous one; nullptr: none. stop() calls `end` in the thread of its caller and under a lock, so `end` must neither
  // wait, throw nor call this object. Call watch(nullptr) before anything that `end` uses is destroyed. Returns false
  // if stop() was called before: `end` is then not called for it, so do not wait.
  bool watch(std::function<void()> end);

 private:
  mutable Mutex mutex_;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::function<void()> end_ GUARDED_BY(mutex_);
};

}  // namespace carrack::data
