// Handles SIGTERM and SIGINT on a thread of its own. Must be created before any other thread, so that no other thread
// receives them. The first signal requests a stop. If the process still runs 5 seconds later, or at a second signal, it
// waits for a server that does not answer; it then exits at once, which is safe at any time.
#pragma once

#include <signal.h>

#include <atomic>
#include <stop_token>
#include <thread>

namespace carrack::control {

class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Requested by the first signal.
  const std::stop_source& stop() const { return stop_; }

 private:
  void wait();

  sigset_t signals_{};
  std::stop_source stop_;
  std::atomic<bool> is_destroyed_ = false;
  std::jthread thread_;
};

}  // namespace carrack::control
