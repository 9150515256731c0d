#include "dataloader/indexes/at_once.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace carrack::data {
namespace {

class Queue {
 public:
  explicit Queue(std::span<const std::size_t> all) : left_(all) {}

  std::optional<std::size_t> next() {
    const std::lock_guard lock(mutex_);
    if (left_.empty()) return std::nullopt;
    const std::size_t first = left_.front();
    left_ = left_.subspan(1);
    return first;
  }

  void stop(std::exception_ptr failure = nullptr) {
    const std::lock_guard lock(mutex_);
    left_ = {};
    if (!failure_) failure_ = std::move(failure);
  }

  const std::exception_ptr& failure() const { return failure_; }

 private:
  std::mutex mutex_;
  std::span<const std::size_t> left_;
  std::exception_ptr failure_;
};

}  // namespace

void at_once(std::span<const std::size_t> all, std::size_t threads, const std::function<bool(std::size_t)>& work) {
  Queue queue(all);
  const auto take = [&] {
    try {
      while (const std::optional<std::size_t> one = queue.next()) {
        if (!work(*one)) queue.stop();
      }
    } catch (...) {
      queue.stop(std::current_exception());
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, all.size()); ++i) others.emplace_back(take);
    take();
  }
  if (queue.failure()) std::rethrow_exception(queue.failure());
}

}  // namespace carrack::data
