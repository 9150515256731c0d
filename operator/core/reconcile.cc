#include "operator/core/reconcile.h"

#include <algorithm>
#include <stdexcept>

#include "operator/core/conditions.h"
#include "operator/core/restart.h"
#include "operator/core/stage.h"

namespace carrack::control {
namespace {

using train::Member;

// A status that nobody here has written: what is counted on from there could not be counted.
void expect_counts(const JobStatus& status) {
  constexpr int most = 1'000'000'000;
  const auto expect = [](int count, const std::string& what) {
    if (count < 0 || count > most) throw std::logic_error("status." + what + " is " + std::to_string(count));
  };
  expect(status.attempt, "attempt");
  for (const auto& [member, start] : status.members) {
    expect(start.incarnation, "members: " + text_of(member) + ": incarnation");
    expect(start.failures, "members: " + text_of(member) + ": failures");
  }
}

// A start begins with the last commit of those before it. One that knows an older one would train again, from there,
// what was trained and kept.
Verdict lost(const JobSpec& spec, const LastCheckpoint& known, const std::optional<LastCheckpoint>& told) {
  const std::string found = told ? "only step " + std::to_string(told->step) : "no commit";
  return {false, "CheckpointLost",
          "spec.checkpoint.folder: " + spec.config.checkpoint.folder + " holds " + found + ", and step " +
              std::to_string(known.step) + " was committed there (" + known.name +
              "); restore the newest HEAD and the files of that name"};
}

// A commit shows that the job moves: earlier failures are forgiven.
std::optional<Verdict> note_report(JobStatus& status, const JobSpec& spec, const Observed& observed) {
  const CoordinatorReport* report = current_report(status, spec, observed);
  if (!report || report->data_work) return std::nullopt;
  const std::int64_t known = status.last_checkpoint ? status.last_checkpoint->step : 0;
  const std::int64_t told = report->last_checkpoint ? report->last_checkpoint->step : 0;
  if (told < known && !status.progress) return lost(spec, *status.last_checkpoint, report->last_checkpoint);
  if (told < known) return std::nullopt;  // This start has told more already: the report is an old one.
  status.progress = report->progress;
  if (!report->last_checkpoint) return std::nullopt;
  if (told > known) {
    for (auto& [member, start] : status.members) start.failures = 0;
  }
  status.last_checkpoint = report->last_checkpoint;
  return std::nullopt;
}

// Ends the starts that are not wanted, begins those that are due; returns the begun ones.
std::vector<Member> turn_over(JobStatus& status, const JobSpec& spec, const std::vector<Member>& wanted, Time now) {
  for (auto& [member, start] : status.members) {
    if (std::find(wanted.begin(), wanted.end(), member) == wanted.end()) start.ended = true;
  }
  std::vector<Member> begun;
  for (const Member& member : wanted) {
    MemberStatus& start = status.members[member];
    if (!start.ended || start.not_before > now) continue;
    ++start.incarnation;
    start.ended = false;
    if (member == leader_of(spec.config.strategy)) status.progress.reset();
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
  if (!problems.empty()) return {Verdict{false, "InvalidSpec", describe(problems)}, {}};
  if (auto verdict = note_report(status, spec, observed)) return {std::move(verdict), {}};
  return account(status, spec, observed, now);
}

}  // namespace

Decision reconcile(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now,
                   const ModelCheck& check_model) {
  Decision decision{status, {}, {}};
  JobStatus& next = decision.status;
  next.observed_generation = spec.generation;
  expect_counts(status);
  const Accounting accounting = judge(next, spec, observed, now, check_model);
  if (accounting.verdict) finish(next, *accounting.verdict, now);
  const Stage stage = next_stage(next, spec, observed, now);
  const std::vector<Member> members = wanted(spec, stage);
  const std::vector<Member> begun = turn_over(next, spec, members, now);
  if (stage == Stage::stopped) next.drain_deadline.reset();
  describe(next, spec, observed, stage, accounting.notes, now);
  decision.actions = actions_for(spec, next, observed, members, begun);
  decision.wake_at = wake_at(next, members);
  return decision;
}

}  // namespace carrack::control
