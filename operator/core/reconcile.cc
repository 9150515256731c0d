#include "operator/core/reconcile.h"

#include <algorithm>
#include <stdexcept>

#include "dataloader/check.h"
#include "operator/core/answers.h"
#include "operator/core/conditions.h"
#include "operator/core/deadlines.h"
#include "operator/core/first_checks.h"
#include "operator/core/last_failure.h"
#include "operator/core/protocol.h"
#include "operator/core/reasons.h"
#include "operator/core/reported_hung.h"
#include "operator/core/restart.h"
#include "operator/core/stage.h"

namespace carrack::control {
namespace {

using train::Member;

constexpr auto log_kept_for = std::chrono::minutes(10);
constexpr seconds grace_of_hung{1};  // A hung process does not react to signals, so more time would not help.

// Returns the failure of a job whose leader, after a restart, finds an older commit in the checkpoint folder than the
// status has. If the job went on, it would train again what was already trained and committed. `known` is from the
// status, `reported` from the leader.
JobOutcome checkpoint_lost(const JobSpec& spec, const LastCheckpoint& known,
                           const std::optional<LastCheckpoint>& reported) {
  const std::string found = reported ? "only step " + std::to_string(reported->step) : "no commit";
  return {false, reasons::checkpoint_lost,
          "spec.checkpoint.folder: " + spec.config.checkpoint.folder + " holds " + found + ", and step " +
              std::to_string(known.step) + " was committed there (" + known.name +
              "); restore the newest HEAD and the files of that name"};
}

// Copies the leader's report to the status, and returns the outcome if the checkpoint is lost. A new commit shows that
// the job advances, so it sets the failure counts of all members to 0.
std::optional<JobOutcome> apply_report(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now) {
  const CoordinatorReport* report = current_report(status, spec, observed);
  if (!report || report->data_work) return std::nullopt;
  const std::int64_t known = status.last_checkpoint ? status.last_checkpoint->step : 0;
  const std::int64_t reported = report->last_checkpoint ? report->last_checkpoint->step : 0;
  if (reported < known && !status.progress)
    return checkpoint_lost(spec, *status.last_checkpoint, report->last_checkpoint);
  if (reported < known) return std::nullopt;  // A late report: this start has reported a newer commit before.
  if (!status.progress || status.progress->step != report->progress.step) status.progress_time = now;
  count_steps_lost_by_rollback(status, report->progress);
  status.progress = report->progress;
  if (report->evaluation) status.evaluation = report->evaluation;
  if (report->best_checkpoint) status.best_checkpoint = report->best_checkpoint;
  if (!report->last_checkpoint) return std::nullopt;
  if (reported > known) {
    for (auto& [member, start] : status.members) start.failures = 0;
  }
  status.last_checkpoint = report->last_checkpoint;
  return std::nullopt;
}

// Returns true while a job that has run lacks the process of its coordinator or of a parameter server, and the operator
// can probably create that process soon: a quota has room for it once its old pod is gone. A worker that the quota has
// refused must not use this room.
bool awaits_server(const JobStatus& status, const JobSpec& spec, const Observed& observed) {
  constexpr int refusals_awaited = 8;  // about two minutes of refusal_backoff()
  return status.start_time && std::ranges::any_of(status.members, [&](const auto& start) {
           const Member& member = start.first;
           if (member.role == train::Role::worker || start.second.done) return false;
           if (current_process(status, observed, member)) return false;
           const LastRefusal* answer = last_refusal_of(status, spec, observed, member);
           return !answer || answer->in_a_row < refusals_awaited;
         });
}

// Returns when the operator may again try to create the process of the member's current start. Returns nullopt if the
// start has ended, if its process is seen or may exist, or if the member is a worker that must leave room for a
// coordinator or parameter server.
std::optional<Time> retry_at(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                             const Member& member) {
  const LastRefusal* answer = last_refusal_of(status, spec, observed, member);
  if (!answer || !is_surely_not_done(*answer) || current_process(status, observed, member)) return std::nullopt;
  const bool gives_way = answer->refusal == Refusal::quota && member.role == train::Role::worker;
  if (gives_way && awaits_server(status, spec, observed)) return std::nullopt;
  const train::Fence fence{status.attempt, status.members.at(member).incarnation};
  return retry_time(*answer, process_name(spec, member, fence));
}

// Returns when the next start of a member is due. After a restart of the whole job the leader starts first.
Time start_due(const JobStatus& status, const JobSpec& spec, const Member& member) {
  const Time own = status.members.at(member).not_before;
  const auto leader = status.members.find(leader_of(spec));
  const bool attempt_begins = leader != status.members.end() && leader->second.incarnation == 0;
  return attempt_begins ? std::max(own, leader->second.not_before) : own;
}

// All pods that run the trainer have the same image until the whole job restarts (a new attempt), so that releases
// never mix. A new attempt uses the image of this operator. So does an attempt without a recorded image, which an older
// release of the operator began.
void choose_image(JobStatus& status, const JobSpec& spec, const Observed& observed) {
  const auto leader = status.members.find(leader_of(spec));
  const bool attempt_begins = leader == status.members.end() || leader->second.incarnation == 0;
  if (attempt_begins || status.trainer_image.empty()) status.trainer_image = observed.trainer_image;
}

// Returns true if the next process of this member must wait until earlier ones have ended. Only with strategy Own: the
// trainer ignores a process that was replaced, but the user's program may go on working with it. If all members restart
// as one, the earlier processes of all members count.
bool awaits_end_of_older(const JobStatus& status, const JobSpec& spec, const Observed& observed, const Member& member) {
  if (!spec.own) return false;
  return std::ranges::any_of(observed.processes, [&](const ObservedProcess& process) {
    const bool is_on_lost_node = process.terminating && process.cause == EndCause::node_lost;
    if (process.state == ProcessState::exited || is_on_lost_node) return false;
    const bool is_of_all = process.fence.attempt < status.attempt || protocol_of(spec).restarts_as_one(spec);
    return process.member == member || (is_of_all && !is_current(status, process));
  });
}

// Returns true if there are parameter servers and all of them run. They have the trained state in memory, so a new
// coordinator continues from that state and not from the last commit.
bool servers_run(const JobStatus& status, const JobSpec& spec, const Observed& observed) {
  bool any = false;
  for (const Member& member : members_of(spec)) {
    if (member.role != train::Role::ps) continue;
    const ObservedProcess* process = current_process(status, observed, member);
    if (!process || process->state != ProcessState::running || process->terminating) return false;
    any = true;
  }
  return any;
}

// Ends the starts of members that are not wanted, and begins a start of each wanted member for which one is due.
// Returns the members whose process the operator must create now: those whose start begins, and those whose process the
// cluster refused before. If any member is wanted, every member of the job has an entry in `status.members` afterwards.
std::vector<Member> update_starts(JobStatus& status, const JobSpec& spec, const Observed& observed,
                                  const std::vector<Member>& wanted, Time now) {
  for (auto& [member, start] : status.members) {
    if (std::find(wanted.begin(), wanted.end(), member) != wanted.end()) continue;
    start.ended = true;
    if (protocol_of(spec).restarts_as_one(spec) && !is_finished(status)) start.done = false;
  }
  if (!wanted.empty()) {
    for (const Member& member : members_of(spec)) status.members.try_emplace(member);
  }
  std::vector<Member> to_create;
  for (const Member& member : wanted) {
    MemberStatus& start = status.members[member];
    if (start.done) continue;
    const bool was_ended = start.ended;
    const auto due =
        was_ended ? std::optional(start_due(status, spec, member)) : retry_at(status, spec, observed, member);
    if (!due || *due > now || awaits_end_of_leader(status, spec)) continue;
    if (was_ended && awaits_end_of_older(status, spec, observed, member)) continue;
    to_create.push_back(member);
    if (!was_ended) continue;
    ++start.incarnation;
    start.ended = false;
    start.not_before = {};
    if (member != leader_of(spec)) continue;
    if (!servers_run(status, spec, observed)) count_steps_lost_by_restart(status, spec);
    status.progress.reset();
  }
  return to_create;
}

// Returns true if the cluster refused an action on this object of the job (such as a pod), and it is too early to try
// again.
bool is_backing_off(const Observed& observed, const std::string& child, Time now) {
  const LastRefusal* answer = last_refusal_of(observed, child);
  return answer && retry_time(*answer, child) > now;
}

bool is_kept(KeepPods policy, const ObservedProcess& exited) {
  switch (policy) {
    case KeepPods::all:
      return true;
    case KeepPods::failed:
      return exited.exit_code != 0;
    case KeepPods::none:
      break;
  }
  return false;
}

// Returns when to delete a process of an earlier start, and with it its log; Time::max() for never. A process that has
// not exited may be deleted immediately. In an unfinished job the last exited process of each member stays until its
// successor has run for log_kept_for. In a finished job spec.run.keepPods decides.
Time log_expiry(const JobSpec& spec, const JobStatus& status, const Observed& observed,
                const ObservedProcess& process) {
  if (process.state != ProcessState::exited || process.holds_node) return Time::min();
  if (is_finished(status)) return is_kept(spec.run.keep_pods, process) ? Time::max() : Time::min();
  Time expiry = Time::max();
  for (const ObservedProcess& other : observed.processes) {
    if (other.member != process.member || other.fence <= process.fence) continue;
    if (other.state == ProcessState::exited) return Time::min();
    if (other.state == ProcessState::running) expiry = other.started_at.value_or(Time::min()) + log_kept_for;
  }
  return expiry;
}

// Removes processes of earlier starts from the job's Service, so that it sends no connections to them. Deletes those
// whose logs need not stay.
void remove_stale_processes(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now,
                            std::vector<Action>& actions) {
  std::vector<Action> deletes;
  for (const ObservedProcess& process : observed.processes) {
    if (is_current(status, process)) continue;
    if (process.in_service && process.state != ProcessState::exited) actions.push_back(WithdrawProcess{process.name});
    if (process.terminating || log_expiry(spec, status, observed, process) > now ||
        is_backing_off(observed, process.name, now))
      continue;
    deletes.push_back(DeleteProcess{process.name, is_hung(process, now) ? grace_of_hung : spec.run.drain});
  }
  actions.insert(actions.end(), deletes.begin(), deletes.end());
}

Action create_object(const JobSpec& spec, const std::string& name) {
  if (name == config_name(spec)) return CreateConfig{name};
  if (name == key_name(spec)) return CreateKey{name};
  return CreateService{name};
}

// Creates the shared objects that are missing. If no process is alive and new ones start, also creates the key again,
// because somebody may have deleted it. While a process is alive, a new key would not help: the process has the old
// one.
void create_missing_objects(const JobSpec& spec, const JobStatus& status, const Observed& observed, bool creates_any,
                            Time now, std::vector<Action>& actions) {
  std::vector<std::string> names = missing_objects(spec, status, observed);
  const bool nobody_has_key = std::ranges::none_of(observed.processes, is_alive);
  if (observed.has_key && uses_key(spec, status, observed) && creates_any && nobody_has_key)
    names.push_back(key_name(spec));
  for (const std::string& name : names) {
    if (!is_backing_off(observed, name, now)) actions.push_back(create_object(spec, name));
  }
}

void delete_unused_objects(const JobSpec& spec, const Observed& observed, Time now, std::vector<Action>& actions) {
  const std::string service = service_name(spec), config = config_name(spec);
  if (observed.has_service && !is_backing_off(observed, service, now)) actions.push_back(DeleteService{service});
  if (observed.has_config && !is_backing_off(observed, config, now)) actions.push_back(DeleteConfig{config});
}

std::vector<Action> actions_for(const JobSpec& spec, const JobStatus& status, const Observed& observed,
                                const std::vector<Member>& wanted, const std::vector<Member>& to_create, Time now) {
  std::vector<Action> actions = first_checks(spec, status, observed, to_create);
  if (!wanted.empty()) create_missing_objects(spec, status, observed, !to_create.empty(), now, actions);
  remove_stale_processes(spec, status, observed, now, actions);
  if (wanted.empty() && std::ranges::none_of(observed.processes, is_alive)) {
    delete_unused_objects(spec, observed, now, actions);
  }
  const std::optional<Time> deletion = deletion_time(status, spec);
  if (deletion && now >= *deletion && !is_backing_off(observed, spec.name, now))
    actions.push_back(DeleteJob{spec.name});
  for (const Member& member : to_create) {
    const MemberStatus& start = status.members.at(member);
    CHECK(!start.ended);
    CHECK_GE(start.incarnation, 1);
    const train::Fence fence{status.attempt, start.incarnation};
    Process process = process_of(spec, member, fence);
    process.image = status.trainer_image;
    if (uses_key(spec, status, observed)) process.key = key_name(spec);
    actions.push_back(CreateProcess{std::move(process)});
  }
  return actions;
}

// Returns the earliest time at which reconcile() may decide otherwise although nothing has changed in the cluster.
// Returns nullopt if there is none.
std::optional<Time> wake_at(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                            const std::vector<Member>& wanted, Time now) {
  std::optional<Time> earliest = status.drain_deadline;
  const auto wake_by = [&](Time time) { earliest = std::min(earliest.value_or(time), time); };
  if (const auto deadline = next_deadline(status, spec, observed, now)) wake_by(*deadline);
  for (const auto& [child, answer] : observed.answers) {
    if (is_backing_off(observed, child, now)) wake_by(retry_time(answer, child));
  }
  for (const ObservedProcess& process : observed.processes) {
    if (process.silent_since && is_current(status, process)) wake_by(*process.silent_since + silence_max);
    const Time expiry = log_expiry(spec, status, observed, process);
    if (!process.terminating && expiry > now && expiry != Time::max()) wake_by(expiry);
  }
  if (const auto next = next_replacement_of_hung(status, spec, observed)) wake_by(*next);
  if (awaits_end_of_leader(status, spec)) return earliest;
  for (const Member& member : wanted) {
    const MemberStatus& start = status.members.at(member);
    // A start that waits for the end of an older process needs no time here: that end causes a decision.
    if (!start.ended || start.done || awaits_end_of_older(status, spec, observed, member)) continue;
    wake_by(start_due(status, spec, member));
  }
  return earliest;
}

// Moves times in the status that are too far in the future to where they can be at most. The clock was set back after
// such a time was written, and without this a wait could last for years.
void bound_waits(JobStatus& status, const JobSpec& spec, Time now) {
  for (auto& [member, start] : status.members) {
    start.not_before = std::min(start.not_before, now + longest_pause(status, start));
    if (start.reported_hung) start.reported_hung = std::min(*start.reported_hung, now);
  }
  if (status.drain_deadline) status.drain_deadline = std::min(*status.drain_deadline, now + spec.run.drain);
}

// Returns true once any member has started. From then on the spec is not validated again: a newer release of the
// operator may be stricter, and must not fail a job that runs.
bool has_started(const JobStatus& status) {
  return status.attempt > 0 ||
         std::ranges::any_of(status.members, [](const auto& member) { return member.second.incarnation > 0; });
}

// Finds the starts (one process of a member each) that have ended, and whether the job ends now.
EndedStarts evaluate(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now,
                     const ModelCheck& check_model) {
  if (is_finished(status)) return {};
  const std::vector<Problem> problems = has_started(status) ? std::vector<Problem>() : problems_in(spec, check_model);
  if (!problems.empty()) return {.outcome = JobOutcome{false, reasons::invalid_spec, describe(problems)}};
  for (auto& outcome : {refused_pod(spec, status, observed), apply_report(status, spec, observed, now)}) {
    if (outcome) return {.outcome = outcome};
  }
  const auto missed = missed_start(status, spec, observed, now);
  EndedStarts ended = record_ended_starts(status, spec, observed, now);
  // If the job has both ended by itself and missed the start deadline, its own end counts: it ran after all, although
  // the operator never saw it run.
  if (!ended.outcome) ended.outcome = missed;
  return ended;
}

}  // namespace

Decision reconcile(const JobSpec& spec, const JobStatus& status, const Observed& observed, Time now,
                   const ModelCheck& check_model) {
  Decision decision{status, {}, {}};
  JobStatus& next = decision.status;
  next.observed_generation = spec.generation;
  if (const auto counts = implausible_counts(status); !counts.empty()) throw std::logic_error(describe(counts));
  bound_waits(next, spec, now);
  const EndedStarts ended = evaluate(next, spec, observed, now, check_model);
  if (ended.outcome) finish(next, *ended.outcome, now);
  const Stage stage = next_stage(next, spec, observed, now);
  if (stage == Stage::stopped && is_overdue(next, spec, now) && std::ranges::none_of(observed.processes, is_alive)) {
    finish(next, overdue_outcome(spec), now);
  }
  const std::vector<Member> members = members_that_may_run(wanted(spec, stage), next, spec, observed);
  CHECK(members.empty() || !is_finished(next));
  if (!is_finished(next)) {
    if (!spec.own) choose_image(next, spec, observed);
    if (!observed.worker_selector.empty()) next.worker_selector = observed.worker_selector;
  }
  const std::vector<Member> to_create = update_starts(next, spec, observed, members, now);
  if (stage == Stage::stopped) next.drain_deadline.reset();
  update_conditions(next, spec, observed, stage, ended, now);
  decision.actions = actions_for(spec, next, observed, members, to_create, now);
  decision.wake_at = wake_at(next, spec, observed, members, now);
  return decision;
}

}  // namespace carrack::control
