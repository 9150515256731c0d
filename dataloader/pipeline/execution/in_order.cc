#include "dataloader/pipeline/execution/in_order.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

namespace carrack::data {

struct InOrder::Shared {
  std::mutex mutex;  // Guards what is in each Pending but its job.
  std::condition_variable done;
};

struct InOrder::Pending {
  Job job;
  bool is_done = false;
  Rows rows;
  std::uint64_t bytes = 0;
  std::exception_ptr error;
};

InOrder::InOrder(Workers& workers, AheadLimits limits, Jobs jobs)
    : workers_(workers), limits_(limits), jobs_(std::move(jobs)), shared_(std::make_shared<Shared>()) {}

std::optional<Rows> InOrder::next() {
  top_up();
  if (pending_.empty()) return std::nullopt;
  const auto is_done = [](const std::shared_ptr<Pending>& one) { return one->is_done; };
  std::unique_lock lock(shared_->mutex);
  auto taken = pending_.begin();
  const auto ready = [&] {
    taken = limits_.sloppy ? std::ranges::find_if(pending_, is_done) : pending_.begin();
    return taken != pending_.end() && (*taken)->is_done;
  };
  shared_->done.wait(lock, ready);
  const std::shared_ptr<Pending> one = std::move(*taken);
  pending_.erase(taken);
  lock.unlock();
  if (one->error) std::rethrow_exception(one->error);
  state_ = std::move(one->job.state);
  largest_ = std::max(largest_, one->bytes);
  return std::move(one->rows);
}

void InOrder::top_up() {
  while (!ended_ && pending_.size() < allowed()) {
    auto one = std::make_shared<Pending>();
    try {
      std::optional<Job> job = jobs_();
      ended_ = !job;
      if (ended_) return;
      one->job = *std::move(job);
    } catch (...) {
      ended_ = one->is_done = true;
      one->error = std::current_exception();
    }
    pending_.push_back(one);
    if (ended_) return;
    workers_.run([one, shared = shared_] {
      Rows rows;
      std::exception_ptr error;
      try {
        rows = one->job.work();
      } catch (...) {
        error = std::current_exception();
      }
      one->job.work = nullptr;
      one->bytes = bytes_of(rows);
      const std::lock_guard lock(shared->mutex);
      one->rows = std::move(rows);
      one->error = error;
      one->is_done = true;
      shared->done.notify_one();
    });
  }
}

// One for each thread and as many that wait, as far as the largest yet fits into the budget; two in any case, or
// nothing would be read while the last one is used.
std::size_t InOrder::allowed() const {
  const std::size_t wanted = limits_.results > 0 ? limits_.results : 2 * std::size_t{workers_.threads()} + 1;
  if (largest_ == 0) return wanted;
  return std::clamp<std::size_t>(limits_.bytes / largest_, 2, std::max<std::size_t>(wanted, 2));
}

std::uint64_t bytes_of(const Rows& rows) {
  std::uint64_t bytes = rows.origins.size() * sizeof(Origin);
  for (const NamedColumn& column : rows.columns) {
    std::visit([&](const auto& values) { bytes += values.size() * sizeof values[0]; }, column.values);
    if (const auto* strings = std::get_if<LargeVector<std::string_view>>(&column.values))
      for (const std::string_view string : *strings) bytes += string.size();
  }
  return bytes;
}

}  // namespace carrack::data
