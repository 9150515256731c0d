#include "dataloader/pipeline/execution/in_order.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/mutex.h"

namespace carrack::data {

struct InOrder::Shared {
  Mutex mutex;  // guards the fields of each Result
  ConditionVariable done;
};

// Shared::mutex guards the fields that a job's thread sets, until `is_done` is true. After that no thread changes them.
struct InOrder::Result {
  Job job;
  bool is_done = false;
  Rows rows;
  std::uint64_t bytes = 0;
  std::exception_ptr error;
};

InOrder::InOrder(Workers& workers, AheadLimits limits, Jobs jobs)
    : workers_(workers), limits_(limits), jobs_(std::move(jobs)), shared_(std::make_shared<Shared>()) {}

std::optional<Rows> InOrder::next() {
  start_jobs();
  if (pending_.empty()) {
    CHECK(ended_);
    return std::nullopt;
  }
  MutexLock lock(shared_->mutex);
  const auto find_ready = [this] {
    if (limits_.unordered) return std::ranges::find_if(pending_, [](const auto& result) { return result->is_done; });
    return pending_.front()->is_done ? pending_.begin() : pending_.end();
  };
  auto ready = find_ready();
  for (; ready == pending_.end(); ready = find_ready()) shared_->done.wait(lock);
  const std::shared_ptr<Result> result = std::move(*ready);
  pending_.erase(ready);
  lock.unlock();
  CHECK(result->is_done);
  if (result->error) std::rethrow_exception(result->error);
  if (!result->rows.is_cut) state_ = std::move(result->job.state);
  largest_bytes_ = std::max(largest_bytes_, result->bytes);
  return std::move(result->rows);
}

void InOrder::start_jobs() {
  while (!ended_ && pending_.size() < results_allowed()) {
    auto result = std::make_shared<Result>();
    try {
      std::optional<Job> job = jobs_();
      ended_ = !job;
      if (ended_) return;
      result->job = *std::move(job);
    } catch (...) {
      // next() throws the error after it has returned the results of all earlier jobs.
      ended_ = result->is_done = true;
      result->error = std::current_exception();
    }
    pending_.push_back(result);
    if (ended_) return;
    workers_.run([result, shared = shared_, stops = limits_.on_damage == OnDamage::stop] {
      Rows rows;
      std::exception_ptr error;
      try {
        rows = result->job.work();
        if (stops) cut_at_first_lost(rows);
      } catch (...) {
        error = std::current_exception();
      }
      result->job.work = nullptr;
      const std::uint64_t bytes = bytes_of(rows);
      const MutexLock lock(shared->mutex);
      CHECK(!result->is_done);
      result->rows = std::move(rows);
      result->bytes = bytes;
      result->error = error;
      result->is_done = true;
      shared->done.notify_one();
    });
  }
}

// Returns how many jobs may run or have results that the caller has not got yet. The limit in bytes may lower the
// number, but not below two: with one job, no job would run while the caller uses a result.
std::size_t InOrder::results_allowed() const {
  const std::size_t wanted = limits_.results > 0 ? limits_.results : 2 * std::size_t{workers_.threads()} + 1;
  if (largest_bytes_ == 0) return wanted;
  return std::clamp<std::size_t>(limits_.bytes / largest_bytes_, 2, std::max<std::size_t>(wanted, 2));
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
