// Workers: the thread pool of an open pipeline. At first it runs at most one task for each CPU at the same time. If
// tasks wait for storage, it runs more, so that the CPUs stay busy.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "dataloader/mutex.h"
#include "dataloader/pipeline/execution/workers_report.h"

namespace carrack::data {

// Returns how many tasks must run at the same time to keep the CPUs busy: 8 on 4 CPUs if tasks wait half of their time.
// `busy_ns` and `waited_ns` are how long recent tasks computed and waited, and `before` is the number that ran at the
// same time. The result is at least `cpus`. Beyond that it is at most `max`, and at most 2 * `before`, so that the load
// on storage grows gradually.
unsigned threads_wanted(unsigned cpus, unsigned before, unsigned max, std::uint64_t busy_ns, std::uint64_t waited_ns);

// Thread-safe, except construction and destruction.
class Workers {
 public:
  // At first up to `cpus` tasks run at the same time; 0 counts as 1. Later there may be more, but never more than the
  // larger of `max_threads` and `cpus`. Threads start when tasks need them.
  Workers(unsigned cpus, unsigned max_threads);
  // Drops tasks that have not begun, without running them, and waits for those that run.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Runs the task on a thread of the pool. Does not wait for it. Tasks begin in the order of the calls; a task must not
  // throw. If the system refuses to start more threads, those that there are run all tasks; if there is none, throws
  // std::system_error and drops the task. Do not call this once the destructor has begun, not even from a task.
  void run(std::function<void()> task) EXCLUDES(mutex_);
  // The number of tasks that may run at the same time now. It changes while tasks run.
  unsigned threads() const EXCLUDES(mutex_);
  WorkersReport report() const EXCLUDES(mutex_);

 private:
  void add_thread_if_allowed() REQUIRES(mutex_);
  void work() EXCLUDES(mutex_);
  void tune() REQUIRES(mutex_);

  const unsigned cpus_;
  const unsigned max_;
  mutable Mutex mutex_;
  ConditionVariable changed_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  unsigned limit_ GUARDED_BY(mutex_);  // maximum number of tasks that run at the same time
  unsigned running_ GUARDED_BY(mutex_) = 0;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::uint64_t done_ GUARDED_BY(mutex_) = 0;
  // The times of all tasks, in two parts: until tune() last set limit_, and since then.
  std::uint64_t busy_ns_ GUARDED_BY(mutex_) = 0, waited_ns_ GUARDED_BY(mutex_) = 0;
  std::uint64_t recent_busy_ns_ GUARDED_BY(mutex_) = 0, recent_waited_ns_ GUARDED_BY(mutex_) = 0;
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
};

}  // namespace carrack::data
