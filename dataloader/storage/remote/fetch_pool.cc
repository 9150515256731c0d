#include "dataloader/storage/remote/fetch_pool.h"

#include <algorithm>
#include <system_error>

#include "dataloader/check.h"

namespace carrack::data {

FetchPool::~FetchPool() {
  std::vector<std::thread> threads;
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    for (const FetchPtr& fetch : queue_) fetch->cancel();
    for (const auto& [time, fetch] : retries_) fetch->cancel();
    for (const FetchPtr& fetch : running_) fetch->cancel();
    threads = std::move(threads_);
    job_added_.notify_all();
    running_changed_.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
}

void FetchPool::start(FetchPtr fetch) {
  hedge_budget_.earn();
  {
    const MutexLock lock(mutex_);
    CHECK(!ending_);
    if (threads_.empty()) threads_.emplace_back([this] { monitor(); });
    queue_.push_back(std::move(fetch));
    add_worker_if_needed();
  }
  job_added_.notify_one();
}

std::size_t FetchPool::runnable() const {
  CHECK_LE(running_.size(), requests_max);
  return hedge_queue_.size() + std::min(queue_.size(), requests_max - running_.size());
}

void FetchPool::add_worker_if_needed() {
  if (ending_) return;
  const std::size_t busy = running_.size() + hedges_running_;
  CHECK_GE(threads_.size(), 1 + busy);
  const std::size_t idle = threads_.size() - 1 - busy;
  if (idle >= runnable()) return;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system refuses to start more threads. The workers that there are run the job once they have time.
    const bool has_workers = threads_.size() > 1;
    if (!has_workers) throw;
  }
}

void FetchPool::work() {
  MutexLock lock(mutex_);
  for (;;) {
    while (!ending_ && runnable() == 0) job_added_.wait(lock);
    if (ending_) return;
    const Job job = take_job();
    lock.unlock();
    running_changed_.notify_one();
    const auto retry_delay = run(job);
    lock.lock();
    finish_job(job, retry_delay);
  }
}

FetchPool::Job FetchPool::take_job() {
  const bool is_hedge = !hedge_queue_.empty();
  std::deque<FetchPtr>& queue = is_hedge ? hedge_queue_ : queue_;
  CHECK(!queue.empty());
  Job job{std::move(queue.front()), is_hedge};
  queue.pop_front();
  if (is_hedge) {
    ++hedges_running_;
    CHECK_LE(hedges_running_, hedges_max);
  } else {
    running_.push_back(job.fetch);
  }
  return job;
}

std::optional<std::chrono::milliseconds> FetchPool::run(const Job& job) {
  if (!job.is_hedge) return job.fetch->run(client_, stall_threshold_);
  job.fetch->run_hedge(client_, stall_threshold_);
  return std::nullopt;
}

void FetchPool::finish_job(const Job& job, std::optional<std::chrono::milliseconds> retry_delay) {
  if (job.is_hedge) {
    CHECK_GT(hedges_running_, 0u);
    --hedges_running_;
    return;
  }
  const auto finished = std::ranges::find(running_, job.fetch);
  CHECK(finished != running_.end());
  running_.erase(finished);
  if (!retry_delay) return;
  retries_.emplace(Clock::now() + *retry_delay, job.fetch);
  running_changed_.notify_one();
}

void FetchPool::monitor() {
  MutexLock lock(mutex_);
  while (!ending_) {
    if (running_.empty() && retries_.empty()) {
      running_changed_.wait(lock);
      continue;
    }
    const Clock::time_point next = queue_retries_and_hedges();
    // A request that begins during this wait cannot have stalled before `next`, so only an earlier retry ends the wait.
    while (!ending_ && (retries_.empty() || retries_.begin()->first >= next)) {
      if (running_changed_.wait_until(lock, next) == std::cv_status::timeout) break;
    }
  }
}

FetchPool::Clock::time_point FetchPool::queue_retries_and_hedges() {
  const auto limit = stall_threshold_.limit();
  const Clock::time_point now = Clock::now();
  while (!retries_.empty() && retries_.begin()->first <= now) {
    queue_.push_front(std::move(retries_.extract(retries_.begin()).mapped()));
    add_worker_if_needed();
    job_added_.notify_one();
  }
  for (const FetchPtr& fetch : running_) {
    if (hedges_running_ + hedge_queue_.size() >= hedges_max) break;
    if (!fetch->try_hedge(now, limit, hedge_budget_)) continue;
    hedge_queue_.push_back(fetch);
    add_worker_if_needed();
    job_added_.notify_one();
  }
  const Clock::time_point next = now + limit / 8;
  return retries_.empty() ? next : std::min(next, retries_.begin()->first);
}

}  // namespace carrack::data
