#include "operator/runtime/queue.h"

#include <algorithm>

#include "dataloader/check.h"

namespace carrack::control {

void Queue::add(const std::string& job, Instant due) {
  const auto failures = failures_.find(job);
  if (failures != failures_.end()) due = std::max(due, failures->second.pause_ends);
  const auto [entry, is_new] = due_.try_emplace(job, due);
  if (!is_new) {
    if (entry->second <= due) return;
    order_.erase({entry->second, job});
    entry->second = due;
  }
  order_.insert({due, job});
  CHECK_EQ(order_.size(), due_.size());
}

void Queue::add_failed(const std::string& job, Instant now) {
  Failures& failures = failures_[job];
  failures.pause_ends = now + retry_delay(++failures.in_a_row);
  if (const auto waiting = due_.find(job); waiting != due_.end()) {
    order_.erase({waiting->second, job});
    due_.erase(waiting);
  }
  add(job, failures.pause_ends);
}

std::optional<std::string> Queue::take(Instant now) {
  if (order_.empty() || order_.begin()->first > now) return std::nullopt;
  const std::string job = order_.begin()->second;
  order_.erase(order_.begin());
  due_.erase(job);
  CHECK_EQ(order_.size(), due_.size());
  return job;
}

std::size_t Queue::due(Instant now) const {
  const auto later = std::ranges::find_if(order_, [&](const auto& entry) { return entry.first > now; });
  return static_cast<std::size_t>(std::distance(order_.begin(), later));
}

std::optional<Instant> Queue::next_due() const {
  return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
}

std::chrono::milliseconds retry_delay(int failures) {
  constexpr int doublings = 10;
  return std::min(std::chrono::milliseconds(60'000),
                  std::chrono::milliseconds(100) * (1 << std::clamp(failures - 1, 0, doublings)));
}

}  // namespace carrack::control
