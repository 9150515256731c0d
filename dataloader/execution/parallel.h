// Runs a function for many items in parallel, such as for each file of a data set. The calling thread is one of the
// threads; the others are started and ended by each call, there is no pool. All functions block until all work is done.
// If the system refuses to start more threads, those that there are do all of the work. `threads` may be 0, which means
// the same as 1: only the calling thread works.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "dataloader/check.h"
#include "dataloader/mutex.h"

namespace carrack::data {

// Calls `run` once on each of `threads` threads, or on each of those that the system starts. `run` must not throw: on a
// thread other than the calling thread that ends the process.
void run_on_threads(std::size_t threads, const std::function<void()>& run);

// Calls work(item) for each of `items` on at most `threads` threads. Items are begun in their order. Once a call has
// returned false or thrown, no further item is begun; those in progress are completed. Then the first exception, if
// any, is rethrown here.
void for_each_parallel(std::span<const std::size_t> items, std::size_t threads,
                       const std::function<bool(std::size_t)>& work);

// The state of one call of map_in_order(), below. Not for other callers.
template <typename Work, typename Take>
class OrderedMap {
 public:
  OrderedMap(std::size_t count, std::size_t threads, const Work& work, const Take& take)
      : count_(count), ahead_max_(4 * std::max<std::size_t>(threads, 1)), work_(work), take_(take) {}

  // Works until no item is left or a call has thrown. Several threads may call it at the same time. Does not throw.
  void run() {
    MutexLock lock(mutex_);
    while (!failure_ && begun_ < count_) {
      if (begun_ >= taken_ + ahead_max_) {
        item_taken_.wait(lock);
        continue;
      }
      const std::size_t item = begun_++;
      lock.unlock();
      std::optional<Result> result;
      std::exception_ptr failure;
      try {
        result.emplace(work_(item));
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (!failure_) failure_ = failure;
      take_ready_results(item, std::move(result));
      item_taken_.notify_all();
    }
  }

  // Rethrows the first exception of work() or take(), if any. Call it when all calls of run() have returned.
  void rethrow_failure() {
    MutexLock lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    CHECK_EQ(taken_, count_);
  }

 private:
  using Result = std::invoke_result_t<Work, std::size_t>;

  // Stores the result of `item`, if it has one, and calls take() for all results whose turn has come.
  void take_ready_results(std::size_t item, std::optional<Result> result) REQUIRES(mutex_) {
    try {
      if (result) results_.emplace(item, *std::move(result));
      for (auto next = results_.find(taken_); !failure_ && next != results_.end(); next = results_.find(taken_)) {
        take_(taken_++, std::move(next->second));
        results_.erase(next);
      }
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
    CHECK_LE(taken_, begun_);
    CHECK_LE(results_.size(), ahead_max_);
  }

  const std::size_t count_;
  const std::size_t ahead_max_;  // the maximum number of items that are begun and not yet passed to take()
  const Work& work_;
  const Take& take_;
  Mutex mutex_;
  ConditionVariable item_taken_;
  std::map<std::size_t, Result> results_ GUARDED_BY(mutex_);  // results that wait for their turn
  std::size_t begun_ GUARDED_BY(mutex_) = 0;
  std::size_t taken_ GUARDED_BY(mutex_) = 0;
  std::exception_ptr failure_ GUARDED_BY(mutex_);
};

// Calls take(i, work(i)) for each i from 0 to count - 1. work() runs on up to `threads` threads at the same time.
// take() runs on any of them, but one call at a time and in the order of i, so that its effect does not depend on the
// number of threads. take() runs under a lock, so it should be short. At most 4 * `threads` results wait for their
// turn; work() for further items begins later. After the first exception of work() or take(), no item is begun and
// take() is not called. The exception is rethrown here once the calls in progress have returned.
template <typename Work, typename Take>
void map_in_order(std::size_t count, std::size_t threads, const Work& work, const Take& take) {
  if (count == 0) return;
  OrderedMap<Work, Take> map(count, threads, work, take);
  run_on_threads(std::min(threads, count), [&] { map.run(); });
  map.rethrow_failure();
}

}  // namespace carrack::data
