#include "operator/api_server/breaker.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace carrack::control {

void SocketBreaker::attach(int socket) {
  detach();
  const MutexLock lock(mutex_);
  duplicate_ = fcntl(socket, F_DUPFD_CLOEXEC, 0);
}

void SocketBreaker::detach() {
  const MutexLock lock(mutex_);
  if (const int socket = std::exchange(duplicate_, -1); socket >= 0) close(socket);
}

void SocketBreaker::shut_down() {
  const MutexLock lock(mutex_);
  if (duplicate_ >= 0) shutdown(duplicate_, SHUT_RDWR);
}

BreakOnStop::BreakOnStop(SocketBreaker& breaker, const std::stop_token& stop)
    : breaker_(breaker),
      stop_(stop),
      thread_([this](const std::stop_token& over) { shut_down_until(over); }),
      on_stop_(stop, [this] {
        const std::lock_guard lock(mutex_);
        stop_signal_.notify_all();
      }) {}

void BreakOnStop::shut_down_until(const std::stop_token& over) {
  constexpr auto interval = std::chrono::milliseconds(50);
  std::unique_lock lock(mutex_);
  stop_signal_.wait(lock, over, [this] { return stop_.stop_requested(); });
  while (!over.stop_requested()) {
    breaker_.shut_down();
    stop_signal_.wait_for(lock, over, interval, [] { return false; });
  }
}

}  // namespace carrack::control
