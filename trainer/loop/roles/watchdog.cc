#include "trainer/loop/roles/watchdog.h"

#include <utility>

namespace carrack::train {
namespace {

// A request to a service that does not answer fails for good after about twelve minutes: ten tries of a minute each,
// and the waits between them. Its own message says more than the watchdog's, so it must come first.
constexpr auto request_time_max = std::chrono::minutes(15);
constexpr std::uint64_t slowest_bytes_per_second = std::uint64_t{1} << 20;
// The number of requests, one after the other, of work with small files, such as a commit.
constexpr int requests_max = 6;
constexpr auto messages_time_max = std::chrono::minutes(5);

constexpr const char* storage_advice = "check that the storage answers";

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
  end();
}

void Watchdog::Work::goes_on() {
  const MutexLock lock(watchdog_.mutex_);
  taken_ = std::chrono::seconds(0);
}

void Watchdog::Work::end() {
  const MutexLock lock(watchdog_.mutex_);
  std::erase(watchdog_.under_way_, this);
}

Watchdog::Limit limit_of_large_files(const std::string& work, std::uint64_t bytes) {
  return {.work = work,
          .time = request_time_max + std::chrono::seconds(bytes / slowest_bytes_per_second),
          .advice = storage_advice};
}

Watchdog::Limit limit_of_small_files(const std::string& work) {
  return {.work = work, .time = requests_max * request_time_max, .advice = storage_advice};
}

Watchdog::Limit limit_of_start() {
  return limit_of_small_files("the start of this process");
}

Watchdog::Limit limit_of_end() {
  return limit_of_small_files("the end of this process");
}

Watchdog::Limit limit_of_messages() {
  return {.work = "the handling of messages", .time = messages_time_max};
}

}  // namespace carrack::train
