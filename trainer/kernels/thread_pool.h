// Threads among which a kernel on the CPU divides its work. Kernels call parallel_for(), at the end of this file, or
// run(), with the ThreadPool that their executor or optimizer passes to them. A thread that waits for work spins for
// about 20 microseconds before it sleeps, because the next kernel usually follows immediately.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "dataloader/mutex.h"
#include "trainer/kernels/lanes.h"
#include "trainer/kernels/range.h"

namespace carrack::train::cpu {

// run() divides tasks among the threads and the calling thread. It allocates no memory.
class ThreadPool {
 public:
  // `threads` includes the thread that calls run(); less than 1 counts as 1. The pool has fewer threads if the system
  // refuses to start more.
  explicit ThreadPool(int threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // Waits until the threads have ended. No call of run() may be in progress.
  ~ThreadPool();

  // The number of threads that the pool has, with the one that calls run().
  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls function(task) once for each number of a task in [0, tasks), on any of the threads, in any order and several
  // at the same time. Returns when all calls are done; what they wrote is then visible to the caller. If calls throw,
  // all other tasks still run, and then one of the exceptions is rethrown. But without another thread, or with one
  // task, the first exception ends the run. `function` must not call run() of the same pool, and only one thread at a
  // time may call run().
  template <class Function>
  void run(int tasks, const Function& function) {
    start_and_finish(tasks,
                     {&function, [](const void* object, int task) { (*static_cast<const Function*>(object))(task); }});
  }

 private:
  struct Work {
    const void* object = nullptr;
    void (*call)(const void* object, int task) = nullptr;
  };

  void start_and_finish(int tasks, Work work);
  void wait_for_the_last_task();
  bool do_one_task();
  void serve();
  bool wait_for_tasks();

  Work work_;                        // set by run(); read by threads that have claimed a task
  std::atomic<int> unclaimed_ = 0;   // tasks not begun; the thread that lowers it from t + 1 to t runs task t
  std::atomic<int> unfinished_ = 0;  // tasks that are not done
  std::atomic<bool> stopped_ = false;
  Mutex mutex_;  // used only for sleeping, waking and failures
  ConditionVariable started_, finished_;
  int sleeping_ GUARDED_BY(mutex_) = 0;
  std::exception_ptr failure_ GUARDED_BY(mutex_);  // the exception of a task of the current run, if any
  std::vector<std::thread> workers_;               // the last member, because the threads use all others
};

// Divides a loop over [0, count) among threads: calls function(range) for ranges that together make up [0, count), at
// most one for each thread and several at the same time, and returns when all calls are done. Makes one call, on the
// calling thread, if `threads` is null or `work` is too small to be worth dividing, and none if `count` is 0. `work` is
// the number of elements, or of comparable operations, in all ranges together. Exceptions are rethrown as by run().
template <class Function>
void parallel_for(ThreadPool* threads, std::int64_t count, std::int64_t work, const Function& function) {
  constexpr std::int64_t worth_a_thread = 1 << 14;
  if (count == 0) return;
  const std::int64_t most = threads == nullptr ? 1 : threads->threads();
  const std::int64_t parts = std::min({most, count, work / worth_a_thread});
  if (threads == nullptr || parts <= 1) return function(Range{0, count});
  threads->run(static_cast<int>(parts), [&](int part) { function(equal_part(count, parts, part)); });
}

}  // namespace carrack::train::cpu
