// Aborts what one thread does on a socket, from another thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "dataloader/mutex.h"

namespace carrack::control {

// Refers to the socket in use, by a duplicate: the socket's owner may close its own at any time, and its number may
// then be that of another file. Safe for several threads.
class SocketBreaker {
 public:
  SocketBreaker() = default;
  ~SocketBreaker() { detach(); }
  SocketBreaker(const SocketBreaker&) = delete;
  SocketBreaker& operator=(const SocketBreaker&) = delete;

  void attach(int socket) EXCLUDES(mutex_);
  void detach() EXCLUDES(mutex_);
  // Ends reads, writes and a connect on the attached socket now; does nothing if none is attached.
  void shut_down() EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  int duplicate_ GUARDED_BY(mutex_) = -1;
};

// From a request of `stop` until its own destruction, shuts down every socket that is attached to the breaker,
// including later ones: the stop may come before there is a socket, or between two.
class BreakOnStop {
 public:
  BreakOnStop(SocketBreaker& breaker, const std::stop_token& stop);

 private:
  void shut_down_until(const std::stop_token& over);

  SocketBreaker& breaker_;
  const std::stop_token stop_;
  // condition_variable_any: the wait ends with either of two stop tokens.
  std::mutex mutex_;
  std::condition_variable_any stop_signal_;
  std::jthread thread_;
  std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace carrack::control
