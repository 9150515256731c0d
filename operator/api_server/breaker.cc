#include "operator/api_server/breaker.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace carrack::control {

void Breaker::take(int socket) {
  drop();
  const std::lock_guard lock(mutex_);
  duplicate_ = fcntl(socket, F_DUPFD_CLOEXEC, 0);
}

void Breaker::drop() {
  const std::lock_guard lock(mutex_);
  if (const int socket = std::exchange(duplicate_, -1); socket >= 0) close(socket);
}

void Breaker::shut() {
  const std::lock_guard lock(mutex_);
  if (duplicate_ >= 0) shutdown(duplicate_, SHUT_RDWR);
}

BrokenBy::BrokenBy(Breaker& breaker, const std::stop_token& stop)
    : breaker_(breaker),
      stop_(stop),
      shutting_([this](const std::stop_token& over) { wait_and_shut(over); }),
      ring_(stop, [this] {
        const std::lock_guard lock(mutex_);
        rung_.notify_all();
      }) {}

void BrokenBy::wait_and_shut(const std::stop_token& over) {
  constexpr auto between_sockets = std::chrono::milliseconds(50);
  std::unique_lock lock(mutex_);
  rung_.wait(lock, over, [this] { return stop_.stop_requested(); });
  while (!over.stop_requested()) {
    breaker_.shut();
    rung_.wait_for(lock, over, between_sockets, [] { return false; });
  }
}

}  // namespace carrack::control
