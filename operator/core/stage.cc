#include "operator/core/stage.h"

#include <algorithm>

#include "operator/core/plan.h"
#include "operator/core/restart.h"

namespace carrack::control {
namespace {

bool has_drained(const JobStatus& status, const Observed& observed) {
  const auto coordinator = status.members.find({train::Role::coordinator, 0});
  const bool reported = observed.report && observed.report->drained && coordinator != status.members.end() &&
                        !coordinator->second.ended &&
                        observed.report->fence == train::Fence{status.attempt, coordinator->second.incarnation};
  return reported &&
         std::none_of(observed.processes.begin(), observed.processes.end(), [](const ObservedProcess& process) {
           return process.member.role == train::Role::worker && process.state != ProcessState::exited &&
                  !process.terminating;
         });
}

}  // namespace

Stage next_stage(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now) {
  if (is_finished(status)) return Stage::stopped;
  if (!spec.suspend) {
    status.drain_deadline.reset();
    return Stage::training;
  }
  // Only workers can hand back the work that they hold. If no member runs, or the strategy is Single, there is nothing
  // to wait for.
  const bool alive = std::any_of(status.members.begin(), status.members.end(),
                                 [](const auto& member) { return !member.second.ended; });
  if (!alive || spec.config.strategy == train::Strategy::single) return Stage::stopped;
  if (!status.drain_deadline) status.drain_deadline = now + spec.drain;
  return has_drained(status, observed) || now >= *status.drain_deadline ? Stage::stopped : Stage::draining;
}

std::vector<train::Member> wanted(const JobSpec& spec, Stage stage) {
  if (stage == Stage::stopped) return {};
  std::vector<train::Member> members = members_of(spec.config);
  if (stage == Stage::draining) {
    std::erase_if(members, [](const train::Member& member) { return member.role == train::Role::worker; });
  }
  return members;
}

}  // namespace carrack::control
