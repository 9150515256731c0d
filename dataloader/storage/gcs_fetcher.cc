#include "dataloader/storage/gcs_fetcher.h"

#include <algorithm>

namespace carrack::data {

using std::chrono::microseconds;

GcsFetcher::~GcsFetcher() {
  std::vector<std::jthread> threads;
  {
    const std::lock_guard lock(mutex_);
    for (const Job& job : jobs_) job.fetch->cancel();
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
    jobs_.push_back({std::move(fetch)});
    add_worker_if_needed();
  }
  more_jobs_.notify_one();
}

void GcsFetcher::add_worker_if_needed() {
  const std::size_t workers = threads_.size() - 1;
  if (workers == most_requests || workers - busy_ >= jobs_.size()) return;
  threads_.emplace_back([this](const std::stop_token& ending) { work(ending); });
}

void GcsFetcher::work(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  while (more_jobs_.wait(lock, ending, [this] { return !jobs_.empty(); })) {
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    ++busy_;
    if (!job.second) running_.push_back(job.fetch);
    lock.unlock();
    more_running_.notify_one();
    carry_out(job);
    lock.lock();
    if (!job.second) running_.erase(std::ranges::find(running_, job.fetch));
    --busy_;
  }
}

void GcsFetcher::carry_out(const Job& job) {
  if (job.second) {
    job.fetch->run_second(client_, silences_);
  } else {
    job.fetch->run(client_, silences_);
  }
}

void GcsFetcher::look_on(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  while (more_running_.wait(lock, ending, [this] { return !running_.empty(); }) && !ending.stop_requested()) {
    const microseconds pause = look();
    more_running_.wait_for(lock, ending, pause, [] { return false; });
  }
}

microseconds GcsFetcher::look() {
  const microseconds limit = silences_.limit();
  const auto now = GcsFetch::Clock::now();
  for (const auto& fetch : running_) {
    if (busy_ + jobs_.size() >= most_requests) break;
    if (!fetch->call_second(now, limit, seconds_)) continue;
    jobs_.push_front({fetch, true});
    add_worker_if_needed();
    more_jobs_.notify_one();
  }
  return limit / 8;
}

}  // namespace carrack::data
