#include "operator/core/reconcile.h"

#include <algorithm>

#include "operator/core/conditions.h"
#include "operator/core/restart.h"
#include "operator/core/stage.h"

namespace carrack::control {
namespace {

using train::Member;

// A commit shows that the job moves: earlier failures are forgiven.
void note_report(JobStatus& status, const JobSpec& spec, const Observed& observed) {
  const auto leader = status.members.find(leader_of(spec.config.strategy));
  if (!observed.report || leader == status.members.end() || leader->second.ended) return;
  const CoordinatorReport& report = *observed.report;
  if (report.fence != train::Fence{status.attempt, leader->second.incarnation}) return;
  status.progress = report.progress;
  if (!report.last_checkpoint) return;
  if (!status.last_checkpoint || report.last_checkpoint->step > status.last_checkpoint->step) {
    for (auto& [member, start] : status.members) start.failures = 0;
  }
  status.last_checkpoint = report.last_checkpoint;
}

// Ends the starts that are not wanted, begins those that are due; returns the begun ones.
std::vector<Member> turn_over(JobStatus& status, const std::vector<Member>& wanted, Time now) {
  for (auto& [member, start] : status.members) {
    if (std::find(wanted.begin(), wanted.end(), member) == wanted.end()) start.ended = true;
  }
  std::vector<Member> begun;
  for (const Member& member : wanted) {
    MemberStatus& start = status.members[member];
    if (!start.ended || start.not_before > now) continue;
    ++start.incarnation;
    start.ended = false;
    begun.push_back(member);
  }
  return begun;
}

// What no longer counts is taken out of the Service and away; what has ended with the job stays to be looked at.
void clear_away(const JobSpec& spec, const JobStatus& status, const Observed& observed, std::vector<Action>& actions) {
  std::vector<Action> deletes;
  for (const ObservedProcess& process : observed.processes) {
    if (is_current(status, process)) continue;
    const bool exited = process.state == ProcessState::exited;
    if (process.in_service && !exited) actions.push_back(WithdrawProcess{process.name});
    if (process.terminating || (exited && is_finished(status))) continue;
    deletes.push_back(DeleteProcess{process.name, spec.drain});
  }
  actions.insert(actions.end(), deletes.begin(), deletes.end());
}

std::vector<Action> actions_for(const JobSpec& spec, const JobStatus& status, const Observed& observed,
                                const std::vector<Member>& wanted, const std::vector<Member>& begun) {
  std::vector<Action> actions;
  const std::string service = service_name(spec);
  if (!wanted.empty() && !service.empty() && !observed.has_service) actions.push_back(CreateService{service});
  if (!wanted.empty() && !observed.has_config) actions.push_back(CreateConfig{config_name(spec)});
  clear_away(spec, status, observed, actions);
  for (const Member& member : begun) {
    const train::Fence fence{status.attempt, status.members.at(member).incarnation};
    actions.push_back(CreateProcess{process_of(spec, member, fence)});
  }
  return actions;
}

std::optional<Time> wake_at(const JobStatus& status, const std::vector<Member>& wanted) {
  std::optional<Time> earliest = status.drain_deadline;
  for (const Member& member : wanted) {
    const MemberStatus& start = status.members.at(member);
    if (start.ended) earliest = std::min(earliest.value_or(start.not_before), start.not_before);
  }
  return earliest;
}

// The stage follows the verdict: a finished job wants nobody.
Accounting judge(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now,
                 const ModelCheck& check_model) {
  if (is_finished(status)) return {};
  const std::vector<Problem> problems = problems_in(spec, check_model);
  if (!problems.empty()) return {Verdict{false, "InvalidSpec", text_of(problems)}, {}};
  note_report(status, spec, observed);
  return account(status, spec, observed, now);
}

}  // namespace

Decision reconcile(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now,
                   const ModelCheck& check_model) {
  Decision decision{status, {}, {}};
  JobStatus& next = decision.status;
  next.observed_generation = spec.generation;
  const Accounting accounting = judge(next, spec, observed, now, check_model);
  if (accounting.verdict) finish(next, *accounting.verdict, now);
  const Stage stage = next_stage(next, spec, observed, now);
  const std::vector<Member> members = wanted(spec, stage);
  const std::vector<Member> begun = turn_over(next, members, now);
  if (stage == Stage::stopped) next.drain_deadline.reset();
  describe(next, spec, observed, stage, accounting.notes, now);
  decision.actions = actions_for(spec, next, observed, members, begun);
  decision.wake_at = wake_at(next, members);
  return decision;
}

}  // namespace carrack::control
