// A pool of threads that run tasks. If tasks wait for storage, more of them run at once, so that the CPUs stay busy.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "dataloader/mutex.h"
#include "dataloader/pipeline/execution/workers_report.h"

namespace carrack::data {

// Returns how many tasks at once keep the CPUs busy, given how long recent tasks computed and waited. `before` is the
// number that ran at once. The result is at least `cpus`; beyond that it is at most `max`, and at most twice `before`,
// since storage may have limits of its own.
unsigned threads_wanted(unsigned cpus, unsigned before, unsigned max, std::uint64_t busy_ns, std::uint64_t waited_ns);

// Safe from any thread, except construction and destruction.
class Workers {
 public:
  // Begins with one thread for each CPU, and never has more than the larger of `max_threads` and `cpus`.
  Workers(unsigned cpus, unsigned max_threads);
  // Drops tasks that have not begun and waits for those that have.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Tasks begin in the order of the calls. They must not throw.
  void run(std::function<void()> task) EXCLUDES(mutex_);
  // How many tasks may run at once.
  unsigned threads() const EXCLUDES(mutex_);
  WorkersReport report() const EXCLUDES(mutex_);

 private:
  void work() EXCLUDES(mutex_);
  void tune() REQUIRES(mutex_);

  const unsigned cpus_;
  const unsigned max_;
  mutable Mutex mutex_;
  ConditionVariable changed_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  unsigned limit_ GUARDED_BY(mutex_);  // how many tasks may run at once
  unsigned running_ GUARDED_BY(mutex_) = 0;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::uint64_t done_ GUARDED_BY(mutex_) = 0;
  // The time of all tasks: first up to the last time that tune() set limit_, then since that time.
  std::uint64_t busy_ns_ GUARDED_BY(mutex_) = 0, waited_ns_ GUARDED_BY(mutex_) = 0;
  std::uint64_t recent_busy_ns_ GUARDED_BY(mutex_) = 0, recent_waited_ns_ GUARDED_BY(mutex_) = 0;
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
};

}  // namespace carrack::data
