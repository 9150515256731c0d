#include "operator/runtime/progress_poller.h"

#include <algorithm>

namespace carrack::control {
namespace {

constexpr int threads = 4;
constexpr auto ask_every = std::chrono::seconds(1);
// Who does not answer and takes a thread meanwhile is asked the more seldom.
constexpr auto taken_for_silent = std::chrono::seconds(1);
constexpr int most_doublings = 5;
constexpr auto tell_every = std::chrono::seconds(5);
constexpr auto look_every = std::chrono::milliseconds(200);

bool is_news(const std::optional<CoordinatorReport>& told, const CoordinatorReport& report) {
  return !told || told->drained != report.drained || told->last_checkpoint != report.last_checkpoint ||
         told->fence != report.fence || told->data_work.has_value() != report.data_work.has_value();
}

}  // namespace

ProgressPoller::ProgressPoller(std::function<void(const std::string& job)> told) : told_(std::move(told)) {
  for (int n = 0; n < threads; ++n) threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
}

ProgressPoller::~ProgressPoller() = default;

void ProgressPoller::follow(const std::string& job, const Teller& teller) {
  const std::lock_guard lock(mutex_);
  Followed& followed = jobs_[job];
  if (followed.teller == teller) return;
  if (followed.teller.job_uid != teller.job_uid) followed = Followed();
  followed.teller = teller;
  followed.silent = 0;
  followed.due = Clock::now();
}

void ProgressPoller::leave(const std::string& job) {
  const std::lock_guard lock(mutex_);
  const auto followed = jobs_.find(job);
  if (followed != jobs_.end()) followed->second.teller.address.clear();
}

void ProgressPoller::forget(const std::string& job) {
  const std::lock_guard lock(mutex_);
  jobs_.erase(job);
}

std::optional<CoordinatorReport> ProgressPoller::of(const std::string& job, const std::string& uid) const {
  const std::lock_guard lock(mutex_);
  const auto followed = jobs_.find(job);
  return followed == jobs_.end() || followed->second.teller.job_uid != uid ? std::nullopt : followed->second.report;
}

void ProgressPoller::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::optional<Question> question = next();
    if (!question) {
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, stop, look_every, [] { return false; });
      continue;
    }
    if (take(*question, progress_of(question->teller))) told_(question->job);
  }
}

// Who has been due longest, so that those that never answer do not starve the others.
std::optional<ProgressPoller::Question> ProgressPoller::next() {
  const std::lock_guard lock(mutex_);
  auto longest = jobs_.end();
  for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
    const Followed& one = job->second;
    if (one.teller.address.empty() || one.asked || one.due > Clock::now()) continue;
    if (longest == jobs_.end() || one.due < longest->second.due) longest = job;
  }
  if (longest == jobs_.end()) return std::nullopt;
  longest->second.asked = true;
  return Question{longest->first, longest->second.teller, Clock::now()};
}

bool ProgressPoller::take(const Question& question, std::optional<CoordinatorReport> report) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(question.job);
  if (found == jobs_.end() || found->second.teller.job_uid != question.teller.job_uid) return false;
  Followed& followed = found->second;
  const auto now = Clock::now();
  followed.asked = false;
  // Of one who was left since, it may be the last word; of one that was replaced, it is none.
  if (followed.teller.fence != question.teller.fence) return false;
  const bool silent = !report && now - question.begun >= taken_for_silent;
  followed.silent = silent ? std::min(followed.silent + 1, most_doublings) : 0;
  followed.due = now + ask_every * (1 << followed.silent);
  if (!report || (followed.report && report->fence < followed.report->fence)) return false;
  followed.report = report;
  if (report == followed.told || (!is_news(followed.told, *report) && now < followed.tell_from)) return false;
  followed.told = std::move(report);
  followed.tell_from = now + tell_every;
  return true;
}

}  // namespace carrack::control
