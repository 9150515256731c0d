#include "operator/kube/events.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "dataloader/check.h"
#include "operator/core/reasons.h"
#include "operator/kube/calls.h"

namespace carrack::control {
namespace {

using nlohmann::json;

constexpr std::size_t queued_max = 1'000;
constexpr std::size_t series_max = 1'000;
constexpr int not_found = 404;

// Writes a time in the form 2026-01-31T23:59:58.000001Z.
std::string micro_time(Moment time) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(micros);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(micros - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text.data();
}

// Increases the count of the event that was written under this name.
ApiRequest series_call(const std::string& job, const std::string& name, int count, Moment time) {
  const json series = {{"series", {{"count", count}, {"lastObservedTime", micro_time(time)}}}};
  return change_event_call(job_key_of(job), name, series);
}

bool has_events(ConditionType type) {
  return type != ConditionType::finished;  // The condition Finished repeats Succeeded or Failed.
}

}  // namespace

std::vector<JobEvent> events_between(const JobStatus& before, const JobStatus& after) {
  std::vector<JobEvent> events;
  for (const Condition& now : after.conditions) {
    const Condition* then = find(before, now.type);
    // The message of Running names the members that are missing. It may change often, so a new message alone makes no
    // event.
    const bool says_the_same = then && (then->message == now.message || now.type == ConditionType::running);
    const bool is_known = then && then->holds && then->reason == now.reason && says_the_same;
    if (!now.holds || is_known || !has_events(now.type)) continue;
    const bool warning = now.type == ConditionType::failed || now.type == ConditionType::restarting ||
                         now.type == ConditionType::stalled || now.reason == reasons::progress_unreachable;
    events.push_back({warning, now.reason, now.message});
  }
  return events;
}

EventWriter::EventWriter(Credentials& credentials, const Clock& clock)
    : client_(credentials), clock_(clock), thread_([this] { run(); }) {}

EventWriter::~EventWriter() {
  const MutexLock lock(mutex_);
  is_stopping_ = true;
  changed_.notify_one();
}

void EventWriter::write(const std::string& job, const std::string& uid, std::vector<JobEvent> events) {
  const MutexLock lock(mutex_);
  for (JobEvent& event : events) {
    if (queue_.size() < queued_max) queue_.push_back({job, uid, std::move(event), clock_.now()});
  }
  CHECK_LE(queue_.size(), queued_max);
  changed_.notify_one();
}

// Waits for an event; nullopt once the writer is being destroyed.
std::optional<EventWriter::QueuedEvent> EventWriter::next() {
  MutexLock lock(mutex_);
  while (queue_.empty() && !is_stopping_) changed_.wait(lock);
  if (is_stopping_) return std::nullopt;
  QueuedEvent event = std::move(queue_.front());
  queue_.pop_front();
  return event;
}

void EventWriter::run() {
  while (const std::optional<QueuedEvent> event = next()) {
    try {
      send(*event);
    } catch (const std::exception&) {
      // The event is lost; the job's conditions say the same.
    }
  }
}

void EventWriter::send(const QueuedEvent& queued) {
  if (series_.size() >= series_max) series_.clear();
  Series& series = series_[queued.uid + "\n" + queued.event.reason + "\n" + queued.event.note];
  const ApiRequest again =
      series.count > 0 ? series_call(queued.job, series.name, series.count + 1, queued.time) : ApiRequest{};
  // The server deletes old events, after an hour by default. Such an event is written again under a new name.
  const bool is_new = series.count == 0 || client_.call(again).status == not_found;
  if (!is_new) {
    ++series.count;
    return;
  }
  series = {new_name(queued), 0};
  if (is_success(client_.call(create_call(queued, series.name)))) series.count = 1;
}

std::string EventWriter::new_name(const QueuedEvent& queued) {
  return job_key_of(queued.job).name + "." + std::to_string(queued.time.time_since_epoch().count()) + "." +
         std::to_string(++written_);
}

ApiRequest EventWriter::create_call(const QueuedEvent& queued, const std::string& name) const {
  const JobKey job = job_key_of(queued.job);
  const std::string time = micro_time(queued.time);
  const json event = {{"apiVersion", "events.k8s.io/v1"},
                      {"kind", "Event"},
                      {"metadata", {{"name", name}, {"namespace", job.name_space}}},
                      {"eventTime", time},
                      {"reportingController", "carrack.dev/operator"},
                      {"reportingInstance", "carrack-operator"},
                      {"action", queued.event.reason},
                      {"reason", queued.event.reason},
                      {"note", queued.event.note},
                      {"type", queued.event.warning ? "Warning" : "Normal"},
                      {"regarding",
                       {{"apiVersion", "carrack.dev/v1alpha1"},
                        {"kind", "TrainingJob"},
                        {"namespace", job.name_space},
                        {"name", job.name},
                        {"uid", queued.uid}}}};
  return create_event_call(job, event);
}

}  // namespace carrack::control
