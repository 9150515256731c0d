#include "dataloader/http/stop.h"

#include <sys/socket.h>

namespace carrack::data {

void Stop::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

bool Stop::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

bool Stop::watch(int socket) {
  const std::lock_guard lock(mutex_);
  socket_ = socket;
  return !stopped_;
}

}  // namespace carrack::data
