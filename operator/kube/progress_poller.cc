#include "operator/kube/progress_poller.h"

#include <algorithm>

#include "operator/runtime/progress_reader.h"

namespace carrack::control {
namespace {

constexpr int threads = 4;
constexpr auto ask_every = std::chrono::seconds(1);
constexpr auto tell_every = std::chrono::seconds(5);
constexpr auto look_every = std::chrono::milliseconds(200);

bool is_news(const std::optional<CoordinatorReport>& told, const CoordinatorReport& report) {
  return !told || told->drained != report.drained || told->last_checkpoint != report.last_checkpoint ||
         told->fence != report.fence;
}

}  // namespace

ProgressPoller::ProgressPoller(std::function<void(const std::string& job)> told) : told_(std::move(told)) {
  for (int n = 0; n < threads; ++n) threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
}

ProgressPoller::~ProgressPoller() = default;

void ProgressPoller::follow(const std::string& job, const std::string& address, const train::Fence& fence) {
  const std::lock_guard lock(mutex_);
  Followed& followed = jobs_[job];
  if (followed.address == address && followed.fence == fence) return;
  followed.address = address;
  followed.fence = fence;
  followed.due = Clock::now();
  woken_.notify_one();
}

void ProgressPoller::leave(const std::string& job) {
  const std::lock_guard lock(mutex_);
  const auto followed = jobs_.find(job);
  if (followed != jobs_.end()) followed->second.address.clear();
}

void ProgressPoller::forget(const std::string& job) {
  const std::lock_guard lock(mutex_);
  jobs_.erase(job);
}

std::optional<CoordinatorReport> ProgressPoller::of(const std::string& job) const {
  const std::lock_guard lock(mutex_);
  const auto followed = jobs_.find(job);
  return followed == jobs_.end() ? std::nullopt : followed->second.report;
}

void ProgressPoller::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::string job, address;
    train::Fence fence;
    {
      std::unique_lock lock(mutex_);
      const auto now = Clock::now();
      const auto due = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& one) {
        return !one.second.address.empty() && one.second.due <= now;
      });
      if (due == jobs_.end()) {
        woken_.wait_for(lock, stop, look_every, [] { return false; });
        continue;
      }
      due->second.due = now + ask_every;
      job = due->first;
      address = due->second.address;
      fence = due->second.fence;
    }
    std::optional<CoordinatorReport> report = progress_at(address);
    if (!report) continue;
    report->fence = fence;
    if (take(job, address, *report)) told_(job);
  }
}

// Whether it is to be told.
bool ProgressPoller::take(const std::string& job, const std::string& address, const CoordinatorReport& report) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(job);
  if (found == jobs_.end() || found->second.address != address) return false;  // Asked of one who is left.
  Followed& followed = found->second;
  followed.report = report;
  const auto now = Clock::now();
  if (report == followed.told || (!is_news(followed.told, report) && now < followed.tell_from)) return false;
  followed.told = report;
  followed.tell_from = now + tell_every;
  return true;
}

}  // namespace carrack::control
