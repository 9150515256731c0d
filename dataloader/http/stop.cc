#include "dataloader/http/stop.h"

#include <utility>

namespace carrack::data {

void Stop::stop() {
  const MutexLock lock(mutex_);
  stopped_ = true;
  if (end_) end_();
}

bool Stop::stopped() const {
  const MutexLock lock(mutex_);
  return stopped_;
}

bool Stop::watch(std::function<void()> end) {
  const MutexLock lock(mutex_);
  end_ = std::move(end);
  return !stopped_;
}

}  // namespace carrack::data
