// Lets one thread abort what another thread does on a socket.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "dataloader/mutex.h"

namespace carrack::control {

// Has a duplicate of the socket in use, because the owner may close the original at any time, after which its number
// may be that of another file. Safe for several threads.
class SocketBreaker {
 public:
  SocketBreaker() = default;
  ~SocketBreaker() { detach(); }
  SocketBreaker(const SocketBreaker&) = delete;
  SocketBreaker& operator=(const SocketBreaker&) = delete;

  // Replaces the socket that was attached before. The caller still owns `socket`.
  void attach(int socket) EXCLUDES(mutex_);
  void detach() EXCLUDES(mutex_);
  // Ends reads, writes and a connect on the attached socket at once. No effect if none is attached.
  void shut_down() EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  int duplicate_ GUARDED_BY(mutex_) = -1;
};

// Shuts down the attached socket every 50 ms, from the request of `stop` until its own destruction. It repeats this
// because a socket may be attached after the request. `breaker` must outlive this.
class BreakOnStop {
 public:
  BreakOnStop(SocketBreaker& breaker, const std::stop_token& stop);

 private:
  void shut_down_until(const std::stop_token& over);

  SocketBreaker& breaker_;
  const std::stop_token stop_;
  // The thread waits for either of two stop tokens, which only a condition_variable_any allows.
  std::mutex mutex_;
  std::condition_variable_any stop_signal_;
  std::jthread thread_;
  std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace carrack::control
