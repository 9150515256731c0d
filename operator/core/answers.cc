#include "operator/core/answers.h"

#include <algorithm>
#include <set>

#include "operator/core/stage.h"

namespace carrack::control {
namespace {

// Returns true if a process of this attempt runs. A pod runs only once it has mounted the job's key, so the key exists
// then.
bool any_runs(const JobStatus& status, const Observed& observed) {
  return std::ranges::any_of(observed.processes, [&](const ObservedProcess& process) {
    return process.fence.attempt == status.attempt && process.state == ProcessState::running;
  });
}

}  // namespace

const LastRefusal* last_refusal_of(const Observed& observed, const std::string& child) {
  const auto found = observed.answers.find(child);
  return found == observed.answers.end() ? nullptr : &found->second;
}

const LastRefusal* last_refusal_of(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                   const train::Member& member) {
  const auto start = status.members.find(member);
  if (observed.answers.empty() || start == status.members.end() || start->second.ended) return nullptr;
  return last_refusal_of(observed, process_name(spec, member, {status.attempt, start->second.incarnation}));
}

bool uses_key(const JobSpec& spec, const JobStatus& status, const Observed& observed) {
  return !key_name(spec).empty() && std::ranges::none_of(observed.processes, [&](const ObservedProcess& process) {
    return process.fence.attempt == status.attempt && process.without_key && is_alive(process);
  });
}

std::vector<std::string> missing_objects(const JobSpec& spec, const JobStatus& status, const Observed& observed) {
  std::vector<std::string> missing;
  const std::string service = service_name(spec);
  if (!service.empty() && !observed.has_service) missing.push_back(service);
  const std::string config = config_name(spec);
  if (!config.empty() && !observed.has_config) missing.push_back(config);
  if (uses_key(spec, status, observed) && !observed.has_key && !any_runs(status, observed))
    missing.push_back(key_name(spec));
  return missing;
}

bool is_surely_not_done(const LastRefusal& answer) {
  return answer.refusal != Refusal::unanswered;
}

Time retry_time(const LastRefusal& answer, const std::string& child) {
  switch (answer.refusal) {
    case Refusal::quota:
    case Refusal::denied:
    case Refusal::invalid:
      return answer.at + refusal_backoff(answer.in_a_row, child);
    case Refusal::not_now:
    case Refusal::not_sent:
    case Refusal::unanswered:
      break;
  }
  return Time::min();
}

seconds refusal_backoff(int refusals, const std::string& child) {
  constexpr int doublings = 9;
  const std::uint64_t longest = std::min(300, 1 << std::clamp(refusals - 1, 0, doublings));
  return seconds(longest - stable_hash(child) % (longest / 4 + 1));
}

void forget_old(LastRefusals& answers, const JobSpec& spec, const JobStatus& status, const Observed& observed) {
  if (answers.empty()) return;
  std::set<std::string> known = {spec.name, service_name(spec), config_name(spec), key_name(spec)};
  for (const ObservedProcess& process : observed.processes) known.insert(process.name);
  for (const auto& [member, start] : status.members) {
    if (!start.ended) known.insert(process_name(spec, member, {status.attempt, start.incarnation}));
  }
  std::erase_if(answers, [&](const auto& answer) { return !known.contains(answer.first); });
}

}  // namespace carrack::control
