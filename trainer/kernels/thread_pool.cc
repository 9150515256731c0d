#include "trainer/kernels/thread_pool.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace carrack::train::cpu {
namespace {

// How often a thread checks for work before it sleeps. This takes about 20 microseconds: longer than the time between
// two products, and shorter than the time between two batches.
constexpr int spins = 2000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Returns whether `condition` became true within some microseconds.
template <class Condition>
bool spin_until(const Condition& condition) {
  for (int i = 0; i < spins; ++i) {
    if (condition()) return true;
    pause();
  }
  return condition();
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  workers_.reserve(static_cast<std::size_t>(std::max(threads, 1) - 1));
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    // The system refuses to start more threads. The pool works with those that it has.
  }
}

ThreadPool::~ThreadPool() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    started_.notify_all();
  }
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::start_and_finish(int tasks, Work work) {
  if (tasks <= 0) return;
  if (tasks == 1 || workers_.empty()) {
    for (int task = 0; task < tasks; ++task) work.call(work.object, task);
    return;
  }
  work_ = work;
  unfinished_.store(tasks, std::memory_order_relaxed);
  // From here on other threads claim tasks. The release makes work_ and unfinished_ visible to them first.
  unclaimed_.store(tasks, std::memory_order_release);
  {
    // A thread that saw no tasks either sleeps already and is woken here, or still has to lock the mutex and will see
    // the new tasks then.
    MutexLock lock(mutex_);
    if (sleeping_ > 0) started_.notify_all();
  }
  while (do_one_task()) {
  }
  wait_for_the_last_task();
  MutexLock lock(mutex_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::wait_for_the_last_task() {
  const auto all_done = [this] { return unfinished_.load(std::memory_order_acquire) == 0; };
  if (spin_until(all_done)) return;
  MutexLock lock(mutex_);
  while (!all_done()) finished_.wait(lock);
}

bool ThreadPool::do_one_task() {
  int left = unclaimed_.load(std::memory_order_acquire);
  do {
    if (left == 0) return false;
  } while (!unclaimed_.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel, std::memory_order_acquire));
  try {
    work_.call(work_.object, left - 1);
  } catch (...) {
    MutexLock lock(mutex_);
    failure_ = std::current_exception();
  }
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    MutexLock lock(mutex_);
    finished_.notify_one();
  }
  return true;
}

void ThreadPool::serve() {
  while (wait_for_tasks()) do_one_task();
}

// Waits until there are tasks, first spinning and then asleep. Returns false if the pool is stopped.
bool ThreadPool::wait_for_tasks() {
  const auto called = [this] {
    return unclaimed_.load(std::memory_order_acquire) > 0 || stopped_.load(std::memory_order_relaxed);
  };
  if (!spin_until(called)) {
    MutexLock lock(mutex_);
    ++sleeping_;
    while (!called()) started_.wait(lock);
    --sleeping_;
  }
  return !stopped_;
}

}  // namespace carrack::train::cpu
