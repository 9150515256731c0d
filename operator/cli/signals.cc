#include "operator/cli/signals.h"

#include <spdlog/spdlog.h>

#include <cstdlib>

namespace carrack::control {

Signals::Signals() {
  sigemptyset(&asked_);
  sigaddset(&asked_, SIGTERM);
  sigaddset(&asked_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &asked_, nullptr);
  thread_ = std::jthread([this] { wait(); });
}

Signals::~Signals() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);  // It may still wait.
}

void Signals::wait() {
  constexpr timespec stop_within{.tv_sec = 5, .tv_nsec = 0};
  int signal = 0;
  sigwait(&asked_, &signal);
  stop_.request_stop();
  if (!over_) sigtimedwait(&asked_, nullptr, &stop_within);
  if (over_) return;
  spdlog::warn("ended before all was answered; the next one goes on from what the API server has");
  std::_Exit(0);
}

}  // namespace carrack::control
