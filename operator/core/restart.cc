#include "operator/core/restart.h"

#include <algorithm>
#include <utility>

#include "dataloader/check.h"
#include "operator/core/answers.h"
#include "operator/core/deadlines.h"
#include "operator/core/exit_words.h"
#include "operator/core/failure_rules.h"
#include "operator/core/last_failure.h"
#include "operator/core/plan.h"
#include "operator/core/protocol.h"
#include "operator/core/reasons.h"
#include "operator/core/reported_hung.h"

namespace carrack::control {
namespace {

// What has to start again after the end of a process: only its member, or the whole job. The last two values are for
// jobs whose members restart as one; the last one is not counted as a failure.
enum class Scope { member, job, all_as_one, all_as_one_uncharged };

// A start (one process of a member) that has ended.
struct EndedStart {
  Ending ending;
  EndNote note;  // `words` is empty if the end needs no message
  seconds ran_for{0};
  bool drained = false;  // The process ended on request, so nothing is lost.
  LastFailure failure = {};
  Scope scope = Scope::member;
};

std::string exit_text(const JobSpec& spec, const ObservedProcess& process) {
  if (process.never_ran) return "never ran";
  if (process.cannot_start) return "cannot be started";
  if (const std::string_view name = exit_name(spec, process.exit_code); !name.empty()) return std::string(name);
  if (const auto signal = signal_of(process.exit_code)) return "ended by signal " + std::to_string(*signal);
  return "exit code " + std::to_string(process.exit_code);
}

// Returns the meaning of the end of a process to which no rule of spec.run.failureRules applies.
ExitMeaning meaning_of_exit(const JobStatus& status, const JobSpec& spec, const ObservedProcess& process) {
  if (process.never_ran && !process.init_failed) return {Ending::uncharged};
  // If the job has run, the program's file existed and is probably being replaced, so another start may succeed.
  if (process.cannot_start) return {status.start_time ? Ending::failed : Ending::user_error};
  return protocol_of(spec).meaning_of(status, spec, process);
}

// Returns the end of a start whose process the cluster does not show; nullopt if the operator has yet to create it.
std::optional<EndedStart> end_without_process(const train::Member& member, const LastRefusal* answer,
                                              bool job_has_run) {
  // Before the job has run, this process may never have been created, so its end gets no message.
  if (!answer) return EndedStart{Ending::uncharged, {member, job_has_run ? "vanished" : "", job_has_run}};
  if (is_surely_not_done(*answer)) return std::nullopt;
  return EndedStart{Ending::uncharged, {member, "perhaps not created: " + answer->words, false, Wait::not_answered}};
}

seconds time_run(const ObservedProcess& process, Time now) {
  return process.started_at ? process.ended_at.value_or(now) - *process.started_at : seconds(0);
}

Ending ending_by(FailureAction action) {
  switch (action) {
    case FailureAction::restart_member:
      return Ending::failed;
    case FailureAction::restart_job:
      return Ending::job_restarts;
    case FailureAction::ignore:
      return Ending::uncharged;
    case FailureAction::fail:
      return Ending::job_fails;
  }
  throw std::logic_error("a failure rule without an action");
}

// Returns nullopt if the start has not ended. `report` is the coordinator's report that the process hangs; nullptr if
// there is none, or if the operator must not replace the process because of it.
std::optional<EndedStart> end_of_process(const JobStatus& status, const JobSpec& spec, const train::Member& member,
                                         const ObservedProcess& process, const ReportedHung* report, Time now) {
  const FailureRule* rule = find_rule(spec.run, process);
  if (process.state == ProcessState::exited) {
    const std::string message = process.message.empty() ? "" : ": " + process.message;
    const Wait wait = process.never_ran ? Wait::node_refused : Wait::starting;
    const ExitMeaning meaning = rule ? ExitMeaning{ending_by(rule->action)} : meaning_of_exit(status, spec, process);
    return EndedStart{
        meaning.ending,
        {member, exit_text(spec, process) + message + meaning.remark, !process.never_ran, wait, process.node},
        time_run(process, now),
        meaning.drained};
  }
  if (!process.terminating && !is_hung(process, now) && !report) return std::nullopt;
  const bool had_run = process.state == ProcessState::running;
  const std::string words = is_hung_at_end(process, now) ? "hung: " + process.message
                            : report                     ? "hung: " + report->why
                                                         : "is taken away by the cluster";
  return EndedStart{rule ? ending_by(rule->action) : Ending::uncharged,
                    {member, words, had_run, Wait::starting, process.node, report != nullptr},
                    time_run(process, now)};
}

// Writes the end of a start to the member's status, with the earliest time of its next start.
void end_start(const JobSpec& spec, MemberStatus& member, const EndedStart& end, Time now) {
  member.ended = true;
  member.not_before = now;
  if (end.note.reported_hung) member.reported_hung = now;
  if (end.ran_for >= steady_after) member.disruptions = 0;
  if (end.ran_for >= steady_after && protocol_of(spec).forgives_by_time()) member.failures = 0;
  switch (end.ending) {
    case Ending::done:
      member.done = true;
      break;
    case Ending::before_leader:
      member.not_before += leader_exit_timeout;
      break;
    case Ending::failed:
      member.not_before += member_backoff(++member.failures);
      break;
    case Ending::uncharged:
      member.not_before += disruption_backoff(++member.disruptions);
      break;
    case Ending::user_error:
    case Ending::checkpoint_taken:
    case Ending::job_restarts:
    case Ending::job_fails:
      break;
  }
}

// Returns the outcome of the job if this end alone ends the job; otherwise nullopt.
std::optional<JobOutcome> outcome_from(const EndedStart& end) {
  switch (end.ending) {
    case Ending::user_error:
      return JobOutcome{false, reasons::user_error, describe(end.note)};
    case Ending::checkpoint_taken:
      return JobOutcome{false, reasons::checkpoint_taken, describe(end.note)};
    case Ending::job_fails:
      return JobOutcome{false, reasons::failure_rule, describe(end.note)};
    case Ending::done:
    case Ending::before_leader:
    case Ending::uncharged:
    case Ending::failed:
    case Ending::job_restarts:
      break;
  }
  return std::nullopt;
}

// Returns true if the member has failed so often that the whole job must restart. A worker causes this only if too few
// other workers run.
bool is_worn_out(const JobStatus& status, const JobSpec& spec, const Observed& observed, const train::Member& member) {
  if (status.members.at(member).failures < member_failures_max) return false;
  if (member.role != train::Role::worker) return true;
  const auto others = std::ranges::count_if(observed.processes, [&](const ObservedProcess& process) {
    return process.member.role == train::Role::worker && process.member != member &&
           process.state == ProcessState::running && is_current(status, process);
  });
  return others < min_of(spec, train::Role::worker);
}

// Returns what has to start again because of this end.
Scope scope_of(const JobStatus& status, const JobSpec& spec, const Observed& observed, const EndedStart& end) {
  if (end.ending == Ending::job_restarts) return Scope::job;
  if (end.ending == Ending::failed && is_worn_out(status, spec, observed, end.note.member)) return Scope::job;
  if (!end.note.had_run || !protocol_of(spec).restarts_as_one(spec)) return Scope::member;
  if (end.ending == Ending::failed) return Scope::all_as_one;
  return end.ending == Ending::uncharged ? Scope::all_as_one_uncharged : Scope::member;
}

// Returns the pause before the leader's first start after a restart of the whole job.
seconds pause_before_attempt(const JobStatus& status) {
  seconds rest = job_backoff(charged_restarts(status));
  for (const auto& [member, start] : status.members) rest = std::max(rest, disruption_backoff(start.disruptions));
  return rest;
}

// Returns true if the end may lose work: if it is a failure, or an uncharged end of a process that ran. A success and
// an end on request (drained) lose nothing.
bool is_loss(const EndedStart& end) {
  if (end.ending == Ending::done || end.ending == Ending::before_leader || end.drained) return false;
  return end.ending != Ending::uncharged || end.note.had_run;
}

// Returns the effect of a loss on the job, from 0 (it ends the job) to 3 (only its member starts again, uncharged).
int rank_of(const EndedStart& end) {
  if (outcome_from(end)) return 0;
  if (end.scope == Scope::job || end.scope == Scope::all_as_one_uncharged) return 1;
  return end.ending == Ending::failed ? 2 : 3;
}

// Returns the loss that the status and a failed job's message name as the cause: of those with the lowest rank_of(),
// the earliest. Returns nullptr if there are no losses.
const EndedStart* worst_loss(const std::vector<EndedStart>& ends) {
  const EndedStart* first = nullptr;
  const auto key = [](const EndedStart& end) { return std::pair(rank_of(end), end.failure.time); };
  for (const EndedStart& end : ends) {
    if (is_loss(end) && (!first || key(end) < key(*first))) first = &end;
  }
  return first;
}

// Lets all members start again, from the last commit. The leader starts first, after a pause.
void begin_next_attempt(JobStatus& status, const JobSpec& spec, Time now) {
  ++status.attempt;
  // If members restart as one, a disruption of one of them restarts all. Its count of disruptions must survive the
  // restart, because otherwise the pauses between such restarts would not grow.
  std::map<train::Member, MemberStatus> before;
  if (protocol_of(spec).restarts_as_one(spec)) before.swap(status.members);
  status.members.clear();
  for (const auto& member : members_of(spec)) status.members[member] = {.disruptions = before[member].disruptions};
  status.members.at(leader_of(spec)).not_before = now + pause_before_attempt(status);
}

// Returns the current starts (one process of each member) that have ended since the last decision.
std::vector<EndedStart> find_ends(const JobStatus& status, const JobSpec& spec, const Observed& observed, Time now) {
  std::vector<EndedStart> ends;
  bool has_hung = false;  // Because of reports, the operator replaces only one member at a time: they may be wrong.
  for (const auto& [member, start] : status.members) {
    if (start.ended) continue;
    const ObservedProcess* process = current_process(status, observed, member);
    const LastRefusal* answer = last_refusal_of(status, spec, observed, member);
    const ReportedHung* report = has_hung ? nullptr : hung_by_report(status, spec, observed, member, now);
    has_hung = has_hung || report;
    auto end = process ? end_of_process(status, spec, member, *process, report, now)
                       : end_without_process(member, answer, status.start_time.has_value());
    if (!end) continue;
    end->failure = failure_of(process, end->note, process_name(spec, member, {status.attempt, start.incarnation}), now);
    ends.push_back(*std::move(end));
  }
  return ends;
}

// Returns the failure of a job that may not restart again. `last` is the end that would cause the restart; nullptr if
// the job has stalled.
JobOutcome limit_exceeded(const JobSpec& spec, const EndedStart* last) {
  const int allowed = spec.run.backoff_limit;
  const std::string limit = "spec.run.backoffLimit allows " + std::to_string(allowed) +
                            (allowed == 1 ? " restart; last: " : " restarts; last: ");
  if (last) return {false, reasons::backoff_limit_exceeded, limit + describe(last->note)};
  return {false, reasons::progress_deadline_exceeded,
          limit + "no new step within spec.run.progressDeadlineSeconds (" +
              std::to_string(spec.run.progress_deadline->count()) + ")"};
}

// Restarts the whole job if `ends` or a stall require it, or ends the job if spec.run.backoffLimit allows no more
// restarts. `last` is worst_loss(ends).
void end_attempt_if_due(JobStatus& status, const JobSpec& spec, const std::vector<EndedStart>& ends,
                        const EndedStart* last, EndedStarts& ended, Time now) {
  const auto any_means = [&](Scope scope) { return std::ranges::find(ends, scope, &EndedStart::scope) != ends.end(); };
  const bool is_taken_away = any_means(Scope::all_as_one_uncharged);
  const bool is_over_by_ends = is_taken_away || any_means(Scope::job) || any_means(Scope::all_as_one);
  if (!is_over_by_ends && !ended.job_stalled) {
    status.restarts += static_cast<int>(std::ranges::count(ends, Ending::failed, &EndedStart::ending));
    return;
  }
  // If the cluster ended a process of a job that restarts as one, the other members fail because of that. So the
  // restart does not count as a failure of the job.
  const bool is_charged = ended.job_stalled || any_means(Scope::job) || !is_taken_away;
  if (is_charged && charged_restarts(status) >= spec.run.backoff_limit) {
    ended.outcome = limit_exceeded(spec, is_over_by_ends ? last : nullptr);
    return;
  }
  ++(is_charged ? status.restarts : status.uncharged_restarts);
  if (std::ranges::any_of(ends, [](const EndedStart& end) { return end.ran_for >= steady_after; })) {
    status.members.clear();  // A process ran for long since the last restart, so disruptions count from 0 again.
  }
  begin_next_attempt(status, spec, now);
}

}  // namespace

const ObservedProcess* current_process(const JobStatus& status, const Observed& observed, const train::Member& member) {
  const auto found = std::find_if(
      observed.processes.begin(), observed.processes.end(),
      [&](const ObservedProcess& process) { return process.member == member && is_current(status, process); });
  return found == observed.processes.end() ? nullptr : &*found;
}

const CoordinatorReport* current_report(const JobStatus& status, const JobSpec& spec, const Observed& observed) {
  const auto leader = status.members.find(leader_of(spec));
  if (leader == status.members.end()) return nullptr;
  const train::Fence fence{status.attempt, leader->second.incarnation};
  for (const ObservedProcess& process : observed.processes) {
    if (process.member == leader->first && process.fence == fence && process.final_report) {
      return &*process.final_report;
    }
  }
  return observed.report && observed.report->fence == fence ? &*observed.report : nullptr;
}

bool awaits_end_of_leader(const JobStatus& status, const JobSpec& spec) {
  const auto leader = status.members.find(leader_of(spec));
  return leader != status.members.end() && !leader->second.ended && reported_final_commit(status);
}

bool is_current(const JobStatus& status, const ObservedProcess& process) {
  const auto member = status.members.find(process.member);
  return member != status.members.end() && !member->second.ended &&
         process.fence == train::Fence{status.attempt, member->second.incarnation};
}

bool is_hung(const ObservedProcess& process, Time now) {
  return process.silent_since && now >= *process.silent_since + silence_max;
}

// Under `carrack run` a process that is stopped for long, as by SIGSTOP, gets the cause node_lost and counts as hung,
// too.
bool is_hung_at_end(const ObservedProcess& process, Time now) {
  if (process.state == ProcessState::exited || !process.silent_since) return false;
  return is_hung(process, now) || process.cause == EndCause::node_lost;
}

EndedStarts record_ended_starts(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now) {
  std::vector<EndedStart> ends = find_ends(status, spec, observed, now);
  EndedStarts ended;
  ended.job_stalled = is_stalled(status, spec, observed, now);
  for (EndedStart& end : ends) {
    MemberStatus& member = status.members.at(end.note.member);
    CHECK(!member.ended);
    end_start(spec, member, end, now);
    end.scope = scope_of(status, spec, observed, end);
    const bool has_note = end.ending != Ending::done && end.ending != Ending::before_leader && !end.note.words.empty();
    if (has_note) ended.notes.push_back(end.note);
    if (end.ending == Ending::uncharged && is_loss(end)) ++status.disruptions;
  }
  const EndedStart* last = worst_loss(ends);
  if (last) status.last_failure = last->failure;
  if (protocol_of(spec).has_succeeded(status, spec)) {  // A success counts more than all ends that would fail the job.
    ended.outcome = JobOutcome{true, reasons::training_succeeded, ""};
    status.last_failure.reset();
  } else if (last) {
    ended.outcome = outcome_from(*last);
  }
  if (!ended.outcome) end_attempt_if_due(status, spec, ends, last, ended, now);
  return ended;
}

int charged_restarts(const JobStatus& status) {
  return status.attempt - status.uncharged_restarts;
}

JobStatus retry_failed_job(JobStatus status) {
  ++status.attempt;
  // The user may have repaired the cause, so earlier restarts do not count.
  status.uncharged_restarts = status.attempt;
  status.members.clear();
  std::erase_if(status.conditions, [](const Condition& condition) {
    return condition.type == ConditionType::failed || condition.type == ConditionType::finished;
  });
  status.completion_time.reset();
  return status;
}

seconds member_backoff(int failures) {
  constexpr int doublings = 6;
  return failures <= 1 ? seconds(0) : std::min(seconds(360), seconds(10) * (1 << std::min(failures - 2, doublings)));
}

seconds disruption_backoff(int disruptions) {
  constexpr int doublings = 6;
  return disruptions <= 1 ? seconds(0) : std::min(seconds(60), seconds(1 << std::min(disruptions - 2, doublings)));
}

seconds job_backoff(int restarts) {
  constexpr int doublings = 6;
  return std::min(seconds(600), seconds(10) * (1 << std::clamp(restarts - 1, 0, doublings)));
}

seconds longest_pause(const JobStatus& status, const MemberStatus& member) {
  if (member.incarnation == 0) return pause_before_attempt(status);
  return std::max({leader_exit_timeout, member_backoff(member.failures), disruption_backoff(member.disruptions)});
}

std::string describe(const EndNote& note) {
  return describe(note.member) + ": " + note.words;
}

}  // namespace carrack::control
