// Turns SIGTERM and SIGINT into a std::stop_source, for `carrack-operator`. The first signal requests a stop. At a
// second signal, or if this object still exists 5 seconds after the first, the process exits immediately with status 0
// and without destructors, because it then only waits for requests that are not answered. Create it before any other
// thread, so that only its own thread receives these signals. Both signals stay blocked after this object is destroyed.
#pragma once

#include <signal.h>

#include <atomic>
#include <stop_token>
#include <thread>

namespace carrack::control {

class Signals {
 public:
  Signals();
  // Requests the stop if no signal has, and waits for the thread to end.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // The stop that the first signal or the destructor requests, on the thread of this object.
  const std::stop_source& stop() const { return stop_; }

 private:
  void wait();

  sigset_t signals_{};
  std::stop_source stop_;
  std::atomic<bool> is_destroyed_ = false;
  std::jthread thread_;
};

}  // namespace carrack::control
