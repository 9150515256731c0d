#include "operator/cli/signals.h"

#include <spdlog/spdlog.h>

#include <cstdlib>

namespace carrack::control {

Signals::Signals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::jthread([this] { wait(); });
}

Signals::~Signals() {
  is_destroyed_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);  // wakes the thread from sigwait() or sigtimedwait()
}

// Requests the stop at the first signal. Then ends the process at a second signal, or after stop_within, unless the
// destructor has run before.
void Signals::wait() {
  constexpr timespec stop_within{.tv_sec = 5, .tv_nsec = 0};
  int signal = 0;
  sigwait(&signals_, &signal);
  stop_.request_stop();
  if (!is_destroyed_) sigtimedwait(&signals_, nullptr, &stop_within);
  if (is_destroyed_) return;
  spdlog::warn("exits before all requests are answered; the next operator goes on from what the API server has");
  std::_Exit(0);
}

}  // namespace carrack::control
