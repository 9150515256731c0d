// SIGTERM and SIGINT, on a thread of their own. Made before any other thread, so that no other gets them. Who is still
// at work a few seconds later, or at a second signal, waits for a server that is silent: then the process ends as a
// crash would end it, which it may do at any time.
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

  // Asked to stop by the first of them.
  const std::stop_source& stop() const { return stop_; }

 private:
  void wait();

  sigset_t asked_{};
  std::stop_source stop_;
  std::atomic<bool> over_ = false;
  std::jthread thread_;
};

}  // namespace carrack::control
