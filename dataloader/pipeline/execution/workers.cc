#include "dataloader/pipeline/execution/workers.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/machine/thread_time.h"

namespace carrack::data {
namespace {

// tune() computes limit_ anew each time the busy and waiting times of recent tasks add up to this time, multiplied by
// limit_. It is longer than a time slice of the scheduler, so that a single slice does not decide the result.
constexpr std::uint64_t measured_ns = 50'000'000;

}  // namespace

Workers::Workers(unsigned cpus, unsigned max_threads)
    : cpus_(std::max(cpus, 1u)), max_(std::max(max_threads, cpus_)), limit_(cpus_) {}

Workers::~Workers() {
  std::vector<std::thread> threads;
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    tasks_.clear();
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void Workers::run(std::function<void()> task) {
  {
    const MutexLock lock(mutex_);
    CHECK(!ending_);
    tasks_.push_back(std::move(task));
    add_thread_if_allowed();
  }
  changed_.notify_one();
}

void Workers::add_thread_if_allowed() {
  if (threads_.size() >= limit_) return;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system refuses to start more threads. The threads that there are run the task once they have time.
    if (!threads_.empty()) return;
    tasks_.pop_back();
    throw;
  }
}

unsigned Workers::threads() const {
  const MutexLock lock(mutex_);
  return limit_;
}

WorkersReport Workers::report() const {
  const MutexLock lock(mutex_);
  const double all = static_cast<double>(busy_ns_ + waited_ns_);
  return {limit_, all > 0 ? static_cast<double>(waited_ns_) / all : 0, done_};
}

void Workers::work() {
  MutexLock lock(mutex_);
  for (;;) {
    while (!ending_ && (tasks_.empty() || running_ >= limit_)) changed_.wait(lock);
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
    CHECK_GT(running_, 0u);
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
  limit_ = threads_wanted(cpus_, limit_, max_, recent_busy_ns_, recent_waited_ns_);
  CHECK_GE(limit_, cpus_);
  CHECK_LE(limit_, max_);
  busy_ns_ += std::exchange(recent_busy_ns_, 0);
  waited_ns_ += std::exchange(recent_waited_ns_, 0);
}

// If tasks wait for a share w of their time, cpus / (1 - w) tasks at the same time keep the CPUs busy.
unsigned threads_wanted(unsigned cpus, unsigned before, unsigned max, std::uint64_t busy_ns, std::uint64_t waited_ns) {
  const double busy = std::max(static_cast<double>(busy_ns), 1e3);
  const double wanted = cpus * (busy + static_cast<double>(waited_ns)) / busy;
  return static_cast<unsigned>(
      std::clamp(wanted + 0.5, static_cast<double>(cpus), std::max(cpus * 1.0, std::min(before * 2.0, max * 1.0))));
}

}  // namespace carrack::data
