#include "operator/core/stage.h"

#include <algorithm>

#include "operator/core/deadlines.h"
#include "operator/core/plan.h"
#include "operator/core/restart.h"

namespace carrack::control {
namespace {

using train::Role;

// The last start of the coordinator counts, whether or not it has ended for the job: it is what may still commit.
Stage stage_of_drain(const JobStatus& status, const Observed& observed) {
  const auto coordinator = status.members.find({Role::coordinator, 0});
  const int incarnation = coordinator == status.members.end() ? 0 : coordinator->second.incarnation;
  bool is_committing = false;
  for (const ObservedProcess& process : observed.processes) {
    if (!is_alive(process)) continue;
    if (process.member.role == Role::worker) return Stage::draining;
    is_committing = is_committing || (process.member.role == Role::coordinator &&
                                      process.fence == train::Fence{status.attempt, incarnation});
  }
  return is_committing ? Stage::committing : Stage::stopped;
}

bool is_wanted(Role role, Stage stage) {
  switch (stage) {
    case Stage::training:
      return true;
    case Stage::draining:
      return role != Role::worker;
    case Stage::committing:
      return role == Role::ps;
    case Stage::stopped:
      break;
  }
  return false;
}

}  // namespace

bool is_alive(const ObservedProcess& process) {
  const bool is_lost = process.terminating && process.disrupted;
  return process.state != ProcessState::exited && !is_lost;
}

Stage next_stage(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now) {
  if (is_finished(status)) return Stage::stopped;
  if (!spec.run.suspend && !is_overdue(status, spec, now)) {
    status.drain_deadline.reset();
    return Stage::training;
  }
  // Only workers can hand back the work that they hold. If no member runs, or the strategy is Single, there is nothing
  // to wait for.
  const bool alive = std::any_of(status.members.begin(), status.members.end(),
                                 [](const auto& member) { return !member.second.ended; });
  if (!alive || spec.config.strategy == train::Strategy::single) return Stage::stopped;
  if (!status.drain_deadline) status.drain_deadline = now + spec.run.drain;
  return now >= *status.drain_deadline ? Stage::stopped : stage_of_drain(status, observed);
}

std::vector<train::Member> wanted(const JobSpec& spec, Stage stage) {
  std::vector<train::Member> members = members_of(spec.config);
  std::erase_if(members, [&](const train::Member& member) { return !is_wanted(member.role, stage); });
  return members;
}

}  // namespace carrack::control
