#include "operator/core/first_checks.h"

#include <set>
#include <string>

#include "operator/core/answers.h"
#include "operator/core/reasons.h"

namespace carrack::control {

std::vector<Action> first_checks(const JobSpec& spec, const JobStatus& status, const Observed& observed,
                                 const std::vector<train::Member>& to_create) {
  std::vector<Action> checks;
  if (status.start_time || !observed.processes.empty()) return checks;
  std::set<train::Role> checked;
  for (const train::Member& member : to_create) {
    if (pod_options(spec, member.role) == PodOptions() || !checked.insert(member.role).second) continue;
    const train::Fence fence{status.attempt, status.members.at(member).incarnation};
    checks.push_back(CheckProcess{process_of(spec, member, fence)});
  }
  return checks;
}

std::optional<JobOutcome> refused_pod(const JobSpec& spec, const JobStatus& status, const Observed& observed) {
  for (const auto& [member, start] : status.members) {
    const LastRefusal* answer = last_refusal_of(status, spec, observed, member);
    if (!answer || answer->refusal != Refusal::invalid) continue;
    const bool has_template = pod_options(spec, member.role).pod_template.has_value();
    return JobOutcome{false, reasons::invalid_spec,
                      "spec.replicas." + std::string(train::spelled(member.role)) +
                          (has_template ? ".template: " : ".resources: ") + answer->words};
  }
  return std::nullopt;
}

}  // namespace carrack::control
