#include "dataloader/execution/parallel.h"

#include <system_error>

namespace carrack::data {
namespace {

// Distributes items to threads, each to one thread, until stop().
class ItemQueue {
 public:
  explicit ItemQueue(std::span<const std::size_t> items) : left_(items) {}

  std::optional<std::size_t> next() {
    MutexLock lock(mutex_);
    if (left_.empty()) return std::nullopt;
    const std::size_t first = left_.front();
    left_ = left_.subspan(1);
    return first;
  }

  // Makes next() return nullopt from then on. Stores `failure` unless an earlier one is stored.
  void stop(std::exception_ptr failure = nullptr) {
    MutexLock lock(mutex_);
    left_ = {};
    if (!failure_) failure_ = std::move(failure);
  }

  std::exception_ptr failure() {
    MutexLock lock(mutex_);
    return failure_;
  }

 private:
  Mutex mutex_;
  std::span<const std::size_t> left_ GUARDED_BY(mutex_);
  std::exception_ptr failure_ GUARDED_BY(mutex_);
};

}  // namespace

void run_on_threads(std::size_t threads, const std::function<void()>& run) {
  std::vector<std::jthread> others;
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(run);
  } catch (const std::system_error&) {
    // The system refuses to start more threads. Those that there are do all of the work.
  }
  run();
}

void for_each_parallel(std::span<const std::size_t> items, std::size_t threads,
                       const std::function<bool(std::size_t)>& work) {
  ItemQueue queue(items);
  run_on_threads(std::min(threads, items.size()), [&] {
    try {
      while (const std::optional<std::size_t> item = queue.next()) {
        if (!work(*item)) queue.stop();
      }
    } catch (...) {
      queue.stop(std::current_exception());
    }
  });
  if (const std::exception_ptr failure = queue.failure()) std::rethrow_exception(failure);
}

}  // namespace carrack::data
