#include "operator/runtime/progress_poller.h"

#include <algorithm>
#include <utility>

#include "dataloader/check.h"

namespace carrack::control {
namespace {

constexpr int thread_count = 4;
constexpr auto poll_interval = std::chrono::seconds(1);
// A coordinator is silent if a poll of it fails after this time or later. It is then polled less and less often,
// because such a poll blocks a thread for long.
constexpr auto silent_after = std::chrono::seconds(1);
constexpr int interval_doublings_max = 5;
constexpr auto news_interval = std::chrono::seconds(5);
constexpr auto idle_interval = std::chrono::milliseconds(200);

bool is_urgent(const std::optional<CoordinatorReport>& announced, const CoordinatorReport& report) {
  return !announced || announced->last_checkpoint != report.last_checkpoint ||
         announced->evaluation != report.evaluation || announced->fence != report.fence ||
         announced->hung != report.hung || announced->data_work.has_value() != report.data_work.has_value() ||
         announced->progress.step > report.progress.step;  // Steps were lost.
}

}  // namespace

ProgressPoller::ProgressPoller(std::function<void(const std::string& job)> on_news,
                               std::chrono::seconds unreachable_after)
    : on_news_(std::move(on_news)), unreachable_after_(unreachable_after) {
  for (int n = 0; n < thread_count; ++n) threads_.emplace_back([this] { run(); });
}

ProgressPoller::~ProgressPoller() {
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
    stop_signal_.notify_all();
  }
  threads_.clear();
}

void ProgressPoller::follow(const std::string& job, const ProgressSource& source) {
  const MutexLock lock(mutex_);
  Followed& followed = jobs_[job];
  if (followed.source == source) return;
  if (followed.source.job_uid != source.job_uid) {
    due_.erase({followed.due, job});
    followed = Followed();
  }
  followed.source = source;
  followed.silent_in_a_row = 0;
  followed.last_heard = Clock::now();
  followed.is_unreachable = false;
  set_due(job, followed, followed.last_heard);
}

void ProgressPoller::set_due(const std::string& job, Followed& followed, Clock::time_point due) {
  due_.erase({followed.due, job});
  followed.due = due;
  if (!followed.source.address.empty() && !followed.is_being_polled) due_.insert({due, job});
}

void ProgressPoller::unfollow(const std::string& job) {
  const MutexLock lock(mutex_);
  const auto followed = jobs_.find(job);
  if (followed == jobs_.end()) return;
  followed->second.source.address.clear();
  due_.erase({followed->second.due, job});
}

void ProgressPoller::forget(const std::string& job) {
  const MutexLock lock(mutex_);
  const auto followed = jobs_.find(job);
  if (followed == jobs_.end()) return;
  due_.erase({followed->second.due, job});
  jobs_.erase(followed);
}

std::optional<CoordinatorReport> ProgressPoller::report_of(const std::string& job, const std::string& uid) const {
  const MutexLock lock(mutex_);
  const auto followed = jobs_.find(job);
  return followed == jobs_.end() || followed->second.source.job_uid != uid ? std::nullopt : followed->second.report;
}

std::chrono::seconds ProgressPoller::report_age(const std::string& job, const std::string& uid) const {
  const MutexLock lock(mutex_);
  const auto followed = jobs_.find(job);
  if (followed == jobs_.end() || followed->second.source.job_uid != uid) return std::chrono::seconds(0);
  return std::chrono::floor<std::chrono::seconds>(Clock::now() - followed->second.last_heard);
}

bool ProgressPoller::is_unreachable(const std::string& job, const std::string& uid) const {
  const MutexLock lock(mutex_);
  const auto followed = jobs_.find(job);
  return followed != jobs_.end() && followed->second.source.job_uid == uid && followed->second.is_unreachable;
}

void ProgressPoller::run() {
  for (;;) {
    const std::optional<Poll> poll = next_poll();
    if (poll && record(*poll, read_progress(poll->source))) on_news_(poll->job);
    MutexLock lock(mutex_);
    if (!poll && !is_stopping_) stop_signal_.wait_for(lock, idle_interval);
    if (is_stopping_) return;
  }
}

// Takes the job that has been due longest, so that coordinators which never answer do not starve the others.
std::optional<ProgressPoller::Poll> ProgressPoller::next_poll() {
  const MutexLock lock(mutex_);
  if (due_.empty() || due_.begin()->first > Clock::now()) return std::nullopt;
  const auto longest = jobs_.find(due_.begin()->second);
  CHECK(longest != jobs_.end());
  due_.erase(due_.begin());
  longest->second.is_being_polled = true;
  return Poll{longest->first, longest->second.source, Clock::now()};
}

bool ProgressPoller::record(const Poll& poll, std::optional<CoordinatorReport> report) {
  const MutexLock lock(mutex_);
  const auto found = jobs_.find(poll.job);
  if (found == jobs_.end() || found->second.source.job_uid != poll.source.job_uid) return false;
  Followed& followed = found->second;
  const auto now = Clock::now();
  followed.is_being_polled = false;
  // If another process has become the source during the poll, the report is dropped. unfollow() does not change the
  // fence, so a report that arrives after it still counts: it may be the last one.
  if (followed.source.fence != poll.source.fence) {
    set_due(poll.job, followed, followed.due);
    return false;
  }
  const bool was_silent = !report && now - poll.begin >= silent_after;
  followed.silent_in_a_row = was_silent ? std::min(followed.silent_in_a_row + 1, interval_doublings_max) : 0;
  set_due(poll.job, followed, now + poll_interval * (1 << followed.silent_in_a_row));
  if (report) followed.last_heard = now;
  const bool was_unreachable = std::exchange(
      followed.is_unreachable, !poll.source.address.empty() && now - followed.last_heard >= unreachable_after_);
  const bool is_stale = !report || (followed.report && report->fence < followed.report->fence);
  if (!is_stale) followed.report = report;
  if (followed.is_unreachable != was_unreachable) return true;
  if (is_stale || report == followed.announced ||
      (!is_urgent(followed.announced, *report) && now < followed.next_news)) {
    return false;
  }
  followed.announced = std::move(report);
  followed.next_news = now + news_interval;
  return true;
}

}  // namespace carrack::control
