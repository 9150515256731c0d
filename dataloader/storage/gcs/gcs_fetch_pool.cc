#include "dataloader/storage/gcs/gcs_fetch_pool.h"

#include <algorithm>

namespace carrack::data {

GcsFetcher::~GcsFetcher() {
  std::vector<std::jthread> threads;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& fetch : firsts_) fetch->cancel();
    for (const auto& [due, fetch] : later_) fetch->cancel();
    for (const auto& fetch : running_) fetch->cancel();
    threads = std::move(threads_);
  }
  for (std::jthread& thread : threads) thread.request_stop();
}

void GcsFetcher::start(std::shared_ptr<GcsFetch> fetch) {
  seconds_.earn();
  {
    const std::lock_guard lock(mutex_);
    if (threads_.empty()) threads_.emplace_back([this](const std::stop_token& ending) { look_on(ending); });
    firsts_.push_back(std::move(fetch));
    add_worker_if_needed();
  }
  more_jobs_.notify_one();
}

std::size_t GcsFetcher::ready() const {
  return seconds_of_.size() + std::min(firsts_.size(), most_requests - running_.size());
}

void GcsFetcher::add_worker_if_needed() {
  const std::size_t idle = threads_.size() - 1 - running_.size() - seconds_running_;
  if (idle < ready()) threads_.emplace_back([this](const std::stop_token& ending) { work(ending); });
}

void GcsFetcher::work(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  while (more_jobs_.wait(lock, ending, [this] { return ready() > 0; })) {
    const Job job = take();
    lock.unlock();
    more_to_see_.notify_one();
    const auto again = carry_out(job);
    lock.lock();
    leave(job, again);
  }
}

GcsFetcher::Job GcsFetcher::take() {
  const bool second = !seconds_of_.empty();
  auto& from = second ? seconds_of_ : firsts_;
  Job job{std::move(from.front()), second};
  from.pop_front();
  if (second) {
    ++seconds_running_;
  } else {
    running_.push_back(job.fetch);
  }
  return job;
}

std::optional<std::chrono::milliseconds> GcsFetcher::carry_out(const Job& job) {
  if (!job.second) return job.fetch->run(client_, stall_threshold_);
  job.fetch->run_second(client_, stall_threshold_);
  return std::nullopt;
}

void GcsFetcher::leave(const Job& job, std::optional<std::chrono::milliseconds> again) {
  if (job.second) {
    --seconds_running_;
    return;
  }
  running_.erase(std::ranges::find(running_, job.fetch));
  if (!again) return;
  later_.emplace(Clock::now() + *again, job.fetch);
  more_to_see_.notify_one();
}

void GcsFetcher::look_on(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  while (more_to_see_.wait(lock, ending, [this] { return !running_.empty() || !later_.empty(); }) &&
         !ending.stop_requested()) {
    const Clock::time_point next = look();
    more_to_see_.wait_until(lock, ending, next, [&] { return !later_.empty() && later_.begin()->first < next; });
  }
}

GcsFetcher::Clock::time_point GcsFetcher::look() {
  const auto limit = stall_threshold_.limit();
  const Clock::time_point now = Clock::now();
  while (!later_.empty() && later_.begin()->first <= now) {
    firsts_.push_front(std::move(later_.extract(later_.begin()).mapped()));
    add_worker_if_needed();
    more_jobs_.notify_one();
  }
  for (const auto& fetch : running_) {
    if (seconds_running_ + seconds_of_.size() == most_seconds) break;
    if (!fetch->call_second(now, limit, seconds_)) continue;
    seconds_of_.push_back(fetch);
    add_worker_if_needed();
    more_jobs_.notify_one();
  }
  const Clock::time_point next = now + limit / 8;
  return later_.empty() ? next : std::min(next, later_.begin()->first);
}

}  // namespace carrack::data
