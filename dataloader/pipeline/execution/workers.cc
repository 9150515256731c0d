#include "dataloader/pipeline/execution/workers.h"

#include <algorithm>
#include <utility>

#include "dataloader/machine/thread_time.h"

namespace carrack::data {
namespace {

// So much is measured before the number of threads is set anew: longer than a time slice.
constexpr std::uint64_t measured_ns = 50'000'000;

}  // namespace

Workers::Workers(unsigned cpus, unsigned most)
    : cpus_(std::max(cpus, 1u)), most_(std::max(most, cpus_)), limit_(cpus_) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    tasks_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::run(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (threads_.size() < limit_) threads_.emplace_back([this] { work(); });
  }
  changed_.notify_one();
}

unsigned Workers::threads() const {
  const std::lock_guard lock(mutex_);
  return limit_;
}

Workers::Report Workers::report() const {
  const std::lock_guard lock(mutex_);
  const double all = static_cast<double>(busy_ns_ + waited_ns_);
  return {limit_, all > 0 ? static_cast<double>(waited_ns_) / all : 0, done_};
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || (!tasks_.empty() && running_ < limit_); });
    if (ending_) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    ++running_;
    lock.unlock();
    const ThreadTime begin = thread_time();
    task();
    task = nullptr;
    const ThreadTime took = thread_time() - begin;
    lock.lock();
    --running_;
    ++done_;
    recent_busy_ns_ += took.busy_ns;
    recent_waited_ns_ += took.waited_ns;
    tune();
    if (!tasks_.empty()) changed_.notify_one();
  }
}

void Workers::tune() {
  if (recent_busy_ns_ + recent_waited_ns_ < measured_ns * limit_) return;
  limit_ = threads_wanted(cpus_, limit_, most_, recent_busy_ns_, recent_waited_ns_);
  busy_ns_ += std::exchange(recent_busy_ns_, 0);
  waited_ns_ += std::exchange(recent_waited_ns_, 0);
}

// While one of them computes the others wait: with a share of waiting w it takes cpus / (1 - w).
unsigned threads_wanted(unsigned cpus, unsigned before, unsigned most, std::uint64_t busy_ns, std::uint64_t waited_ns) {
  const double busy = std::max(static_cast<double>(busy_ns), 1e3);
  const double wanted = cpus * (busy + static_cast<double>(waited_ns)) / busy;
  return static_cast<unsigned>(
      std::clamp(wanted + 0.5, static_cast<double>(cpus), std::max(cpus * 1.0, std::min(before * 2.0, most * 1.0))));
}

}  // namespace carrack::data
