#include "operator/runtime/loops.h"

#include <algorithm>
#include <thread>

#include "operator/core/plan.h"

namespace carrack::control {

std::size_t loop_of(const std::string& job, std::size_t count) {
  constexpr std::uint64_t of_a_namespace = 4;
  const std::uint64_t first = stable_hash(job.substr(0, job.find('/'))) % count;
  return static_cast<std::size_t>((first + stable_hash(job) % of_a_namespace) % count);
}

Loops::Loops(std::size_t count, Cluster& cluster, const Clock& clock, const Loop::Decide& decide,
             const Loop::OnPass& on_pass) {
  for (std::size_t n = 0; n < count; ++n) {
    loops_.push_back(std::make_unique<Loop>(cluster, clock, decide, on_pass));
  }
}

void Loops::wake(const std::string& job) {
  loops_[loop_of(job, loops_.size())]->wake(job);
}

void Loops::run(const std::stop_token& stop) {
  std::vector<std::jthread> threads;
  for (const auto& loop : loops_) {
    threads.emplace_back([&loop = *loop, stop] { loop.run(stop); });
  }
}

std::optional<Instant> Loops::pass_started_at() const {
  std::optional<Instant> first;
  for (const auto& loop : loops_) {
    const std::optional<Instant> since = loop->pass_started_at();
    if (since) first = std::min(first.value_or(*since), *since);
  }
  return first;
}

std::size_t Loops::waiting() const {
  std::size_t waiting = 0;
  for (const auto& loop : loops_) waiting += loop->waiting();
  return waiting;
}

}  // namespace carrack::control
