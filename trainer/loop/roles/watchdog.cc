#include "trainer/loop/roles/watchdog.h"

#include <utility>

namespace carrack::train {
namespace {

// A request to a storage that fails is tried again for about two minutes, and then fails for good.
constexpr auto hangs_after = std::chrono::seconds(300);
constexpr std::uint64_t slowest_bytes_per_second = std::uint64_t{1} << 20;

}  // namespace

Watchdog::Watchdog(std::function<void(const std::string&)> report, std::chrono::milliseconds second)
    : report_(std::move(report)), second_(second), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watchdog::watch() {
  MutexLock lock(mutex_);
  while (!ending_) {
    // Notified only by the destructor.
    if (wake_.wait_for(lock, second_) == std::cv_status::no_timeout) continue;
    for (Work* work : under_way_) {
      work->taken_ += std::chrono::seconds(1);
      if (work->taken_ < work->limit_.time) continue;
      const Limit limit = work->limit_;  // the work may end now
      lock.unlock();
      return report_(limit.work + " has not ended within " + std::to_string(limit.time.count()) + " s" +
                     (limit.advice.empty() ? "" : "; " + limit.advice));
    }
  }
}

Watchdog::Work::Work(Watchdog& watchdog, Limit limit) : watchdog_(watchdog), limit_(std::move(limit)) {
  const MutexLock lock(watchdog_.mutex_);
  watchdog_.under_way_.push_back(this);
}

Watchdog::Work::~Work() {
  const MutexLock lock(watchdog_.mutex_);
  std::erase(watchdog_.under_way_, this);
}

void Watchdog::Work::goes_on() {
  const MutexLock lock(watchdog_.mutex_);
  taken_ = std::chrono::seconds(0);
}

Watchdog::Limit storage_limit(const std::string& doing, const std::string& folder, std::uint64_t bytes) {
  return {.work = doing + " " + folder,
          .time = hangs_after + std::chrono::seconds(bytes / slowest_bytes_per_second),
          .advice = "check that the storage answers"};
}

Watchdog::Limit messages_limit() {
  return {.work = "the handling of messages", .time = hangs_after};
}

}  // namespace carrack::train
