#include "operator/kube/events.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "operator/kube/calls.h"

namespace carrack::control {
namespace {

using nlohmann::json;

constexpr std::size_t most_waiting = 1'000;
constexpr std::size_t longest_note = 1'000;  // bytes; the server takes 1,024

// 2026-01-31T23:59:58.000001Z
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

bool tells(ConditionType type) {
  return type != ConditionType::finished;  // It repeats the one before it.
}

}  // namespace

std::string note_of(std::string text) {
  if (text.size() <= longest_note) return text;
  std::size_t end = longest_note;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::vector<JobEvent> events_between(const JobStatus& before, const JobStatus& after) {
  std::vector<JobEvent> events;
  for (const Condition& now : after.conditions) {
    const Condition* then = find(before, now.type);
    const bool said = then && then->holds && then->reason == now.reason && then->message == now.message;
    if (!now.holds || said || !tells(now.type)) continue;
    const bool warning = now.type == ConditionType::failed || now.type == ConditionType::restarting;
    events.push_back({warning, now.reason, note_of(now.message)});
  }
  return events;
}

EventWriter::EventWriter(Credentials& credentials, const Clock& clock)
    : client_(credentials), clock_(clock), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void EventWriter::write(const std::string& job, const std::string& uid, std::vector<JobEvent> events) {
  const std::lock_guard lock(mutex_);
  for (JobEvent& event : events) {
    if (waiting_.size() < most_waiting) {
      waiting_.push_back({job, uid, std::move(event), clock_.now()});
    }
  }
  woken_.notify_one();
}

void EventWriter::run(const std::stop_token& stop) {
  while (true) {
    Waiting next;
    {
      std::unique_lock lock(mutex_);
      if (!woken_.wait(lock, stop, [this] { return !waiting_.empty(); }) || stop.stop_requested()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    try {
      client_.call(request_for(next));
    } catch (const std::exception&) {
      // It is lost; the job's conditions say the same.
    }
  }
}

ApiRequest EventWriter::request_for(const Waiting& waiting) {
  const JobKey job = job_key_of(waiting.job);
  const std::string time = micro_time(waiting.time);
  const std::string name =
      job.name + "." + std::to_string(waiting.time.time_since_epoch().count()) + "." + std::to_string(++written_);
  const json event = {{"apiVersion", "events.k8s.io/v1"},
                      {"kind", "Event"},
                      {"metadata", {{"name", name}, {"namespace", job.name_space}}},
                      {"eventTime", time},
                      {"reportingController", "carrack.dev/operator"},
                      {"reportingInstance", "carrack-operator"},
                      {"action", waiting.event.reason},
                      {"reason", waiting.event.reason},
                      {"note", waiting.event.note},
                      {"type", waiting.event.warning ? "Warning" : "Normal"},
                      {"regarding",
                       {{"apiVersion", "carrack.dev/v1alpha1"},
                        {"kind", "TrainingJob"},
                        {"namespace", job.name_space},
                        {"name", job.name},
                        {"uid", waiting.uid}}}};
  return {.method = "POST",
          .path = "/apis/events.k8s.io/v1/namespaces/" + job.name_space + "/events",
          .query = {},
          .body = event.dump(-1, ' ', false, json::error_handler_t::replace)};
}

}  // namespace carrack::control
