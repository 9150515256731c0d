#include "operator/core/stage.h"

#include <algorithm>

#include "operator/core/deadlines.h"
#include "operator/core/plan.h"
#include "operator/core/protocol.h"

namespace carrack::control {
namespace {

using train::Role;

// Returns true if members of this role should run in this stage of the job.
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

bool finds_no_node(const ObservedProcess* process) {
  return process && process->state == ProcessState::pending && process->wait == Wait::unschedulable;
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
  const bool alive = std::any_of(status.members.begin(), status.members.end(),
                                 [](const auto& member) { return !member.second.ended; });
  if (!alive) return Stage::stopped;
  if (!status.drain_deadline) status.drain_deadline = now + spec.run.drain;
  return now >= *status.drain_deadline ? Stage::stopped : protocol_of(spec).drain_stage(status, spec, observed);
}

std::vector<train::Member> wanted(const JobSpec& spec, Stage stage) {
  std::vector<train::Member> members = members_of(spec);
  std::erase_if(members, [&](const train::Member& member) { return !is_wanted(member.role, stage); });
  return members;
}

std::vector<train::Member> members_that_may_run(const std::vector<train::Member>& wanted, const JobStatus& status,
                                                const JobSpec& spec, const Observed& observed) {
  const bool lacks_room = std::ranges::any_of(wanted, [&](const train::Member& member) {
    return member.role != Role::worker && finds_no_node(current_process(status, observed, member));
  });
  if (!lacks_room) return wanted;
  std::vector<train::Member> startable = wanted;
  std::erase_if(startable, [&](const train::Member& member) {
    const bool is_surplus = member.role == Role::worker && member.index >= min_of(spec, Role::worker);
    return is_surplus && !finds_no_node(current_process(status, observed, member));
  });
  return startable;
}

}  // namespace carrack::control
