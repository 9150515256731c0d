// Lets one thread abort a read, write or connect that blocks another thread. Client::stream() uses it to end a watch,
// or a log that is followed, soon after a stop is requested.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "dataloader/mutex.h"

namespace carrack::control {

// Shuts down the socket that is attached. It has a duplicate of the descriptor, because the owner may close the
// original at any time, and its number may then belong to another file. Safe for several threads, but only one at a
// time may call attach().
class SocketBreaker {
 public:
  SocketBreaker() = default;
  ~SocketBreaker() { detach(); }
  SocketBreaker(const SocketBreaker&) = delete;
  SocketBreaker& operator=(const SocketBreaker&) = delete;

  // Replaces the attached socket, if there is one. The caller still owns `socket`. The connection stays open until the
  // caller has closed `socket` and called detach().
  void attach(int socket) EXCLUDES(mutex_);
  // No effect if no socket is attached.
  void detach() EXCLUDES(mutex_);
  // Ends reads, writes and a connect on the attached socket: reads find the end of the connection, the others fail. The
  // caller has to connect again with another socket. A connect that has not begun yet may still succeed. No effect if
  // none is attached.
  void shut_down() EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  int duplicate_ GUARDED_BY(mutex_) = -1;
};

// While it exists, its thread calls breaker.shut_down() as soon as `stop` is requested, and again every 50 ms, because
// a socket may be attached or connected after the request. The destructor ends the thread. `breaker` must outlive this.
class BreakOnStop {
 public:
  BreakOnStop(SocketBreaker& breaker, const std::stop_token& stop);

 private:
  void shut_down_until(const std::stop_token& over);

  SocketBreaker& breaker_;
  const std::stop_token stop_;
  // The thread waits for two stop tokens: `stop_`, and its own at destruction. Only a condition_variable_any allows
  // that.
  std::mutex mutex_;
  std::condition_variable_any stop_signal_;
  std::jthread thread_;
  std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace carrack::control
