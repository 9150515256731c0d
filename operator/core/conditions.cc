#include "operator/core/conditions.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "operator/core/causes.h"
#include "operator/core/reasons.h"
#include "operator/core/waits.h"

namespace carrack::control {
namespace {

// Returns the reason of the condition Running during this work, and the beginning of its message. The condition does
// not hold then, because no training happens.
std::pair<const char*, std::string> reason_and_work(DataWork::Kind kind) {
  switch (kind) {
    case DataWork::Kind::indexing:
      return {reasons::indexing, "searching the data files for where the records are: "};
    case DataWork::Kind::snapshot:
      return {reasons::preparing, "writing the snapshot of the data: "};
    case DataWork::Kind::statistics:
      return {reasons::preparing, "computing mean and deviation of the data: "};
    case DataWork::Kind::take_over:
      return {reasons::waiting_for_folder,
              "another job has claimed spec.checkpoint.folder; waiting until it has ended. Its UID is in the log"};
  }
  throw std::logic_error("work on the data without a reason");
}

std::string progress_of(const DataWork& work) {
  if (work.kind == DataWork::Kind::take_over) return "";
  if (work.kind == DataWork::Kind::statistics) {
    return std::to_string(work.records) + " of " + std::to_string(work.total_records) + " records";
  }
  const auto total = static_cast<double>(std::max<std::int64_t>(work.total_bytes, 1));
  const double percent = std::min(100.0, 100 * static_cast<double>(work.bytes) / total);
  return std::to_string(work.files) + " of " + std::to_string(work.total_files) + " files, " +
         std::to_string(static_cast<int>(percent)) + "% of their bytes";
}

Condition running_condition(const JobStatus& status, const JobSpec& spec, const Observed& observed, Stage stage,
                            const std::vector<EndNote>& notes, Time now) {
  const auto not_running = [&](const char* reason, const std::string& message) {
    return Condition{ConditionType::running, false, reason, message, now};
  };
  switch (stage) {
    case Stage::training:
      break;
    case Stage::draining:
      return not_running(reasons::draining, "workers leave, then the coordinator commits");
    case Stage::committing:
      return not_running(reasons::draining, "the workers have left; the coordinator commits");
    case Stage::stopped:
      return spec.run.suspend ? not_running(reasons::suspended, "") : not_running(reasons::draining, "all members end");
  }
  if (enough_members_run(spec, status.replicas) || awaits_end_of_leader(status, spec)) {
    const CoordinatorReport* report = current_report(status, spec, observed);
    if (report && report->data_work && !observed.report_unreachable) {
      const auto& [reason, work] = reason_and_work(report->data_work->kind);
      return not_running(reason, work + progress_of(*report->data_work));
    }
    if (observed.report_unreachable) {
      return {
          ConditionType::running, true, reasons::progress_unreachable,
          "the coordinator's progress cannot be read, so it is not shown here; does a NetworkPolicy keep the operator "
          "from port 7401 of the pods?",
          now};
    }
    const std::string waits = lasting_waits(status, spec, observed, notes, wanted(spec, stage));
    return {ConditionType::running, true, reasons::members_running, waits, now};
  }
  const std::vector<train::Member> members = members_that_may_run(wanted(spec, stage), status, spec, observed);
  const WaitOfJob wait = wait_of(status, spec, observed, notes, members);
  return not_running(wait.reason, wait.message);
}

// Returns true from the restart of the whole job until enough members run again. Before any member has started again,
// all incarnations (process starts since the restart) are 0. After that, the condition Restarting still has the reason
// job_restarts.
bool all_restart(const JobStatus& status) {
  const bool attempt_begins = status.attempt > 0 && std::ranges::all_of(status.members, [](const auto& member) {
                                return member.second.incarnation == 0;
                              });
  const Condition* before = find(status, ConditionType::restarting);
  return attempt_begins || (before && before->holds && before->reason == reasons::job_restarts);
}

// Returns the condition Restarting. Its message says how processes ended most recently. The message stays when the
// condition no longer holds, so that users can still read it.
Condition restarting_condition(const JobStatus& status, const JobSpec& spec, const std::vector<EndNote>& notes,
                               Time now) {
  std::vector<Clause> ends;
  for (const EndNote& note : notes) {
    if (note.had_run) ends.push_back(clause_of(note.member, note.words, note.node));
  }
  const Condition* before = find(status, ConditionType::restarting);
  const std::string message = !ends.empty() ? describe_causes(ends, status.replicas) : before ? before->message : "";
  const bool runs = enough_members_run(spec, status.replicas) || awaits_end_of_leader(status, spec);
  if (runs || (ends.empty() && !(before && before->holds))) {
    return {ConditionType::restarting, false, reasons::nothing_restarts, message, now};
  }
  return {ConditionType::restarting, true, all_restart(status) ? reasons::job_restarts : reasons::member_restarts,
          message, now};
}

// Returns the condition Stalled. It holds from the restart of a job that has stalled until the restarted job reports a
// step.
Condition stalled_condition(const JobStatus& status, const JobSpec& spec, bool has_stalled, Time now) {
  if (has_stalled) {
    return {ConditionType::stalled, true, reasons::no_progress,
            "no new step within spec.run.progressDeadlineSeconds (" +
                std::to_string(spec.run.progress_deadline->count()) + "), so all members start again",
            now};
  }
  const Condition* before = find(status, ConditionType::stalled);
  const bool goes_on = !before || !before->holds || (status.progress_time && *status.progress_time > before->since);
  return goes_on ? Condition{ConditionType::stalled, false, reasons::not_stalled, "", now} : *before;
}

// Returns the condition Suspended. It holds only once no process is alive, because until then the job uses resources of
// the cluster.
Condition suspended_condition(const JobStatus& status, const JobSpec& spec, const Observed& observed, Stage stage,
                              Time now) {
  if (spec.run.suspend) {
    std::vector<Clause> ends;
    for (const ObservedProcess& process : observed.processes) {
      if (is_alive(process)) ends.push_back({process.member, " has not ended", " have not ended", process.node});
    }
    if (stage == Stage::stopped && ends.empty()) return {ConditionType::suspended, true, reasons::suspended, "", now};
    const std::string message = stage == Stage::stopped ? describe_causes(ends, status.replicas) : "";
    return {ConditionType::suspended, false, reasons::draining, message, now};
  }
  const Condition* before = find(status, ConditionType::suspended);
  const bool resumed =
      before && (before->holds || before->reason == reasons::resumed || before->reason == reasons::draining);
  return {ConditionType::suspended, false, resumed ? reasons::resumed : reasons::not_suspended, "", now};
}

// Sets the conditions Succeeded, Failed and Finished to false, except those that hold, which stay as they are. In a
// finished job the false ones get the reason of Finished, without a message.
void set_ends(JobStatus& status, Time now) {
  const bool is_over = is_finished(status);
  const std::string reason = is_over ? find(status, ConditionType::finished)->reason : reasons::not_finished;
  for (const ConditionType type : {ConditionType::succeeded, ConditionType::failed, ConditionType::finished}) {
    set_condition(status, holds(status, type) ? *find(status, type) : Condition{type, false, reason, "", now});
  }
}

void clear_after_finish(JobStatus& status, Time now) {
  for (const ConditionType type :
       {ConditionType::running, ConditionType::restarting, ConditionType::stalled, ConditionType::suspended}) {
    set_condition(status, {type, false, reasons::finished, "", now});
  }
}

// Returns the replica counts of a finished job. It has no members that should run, so all counts are 0, except that a
// failed job counts the members for which has_failed() is true.
std::map<train::Role, ReplicaStatus> failed_members(const JobStatus& status) {
  std::map<train::Role, ReplicaStatus> replicas;
  for (const auto& [member, start] : status.members) {
    if (holds(status, ConditionType::failed) && has_failed(status, member)) ++replicas[member.role].failed;
  }
  return replicas;
}

}  // namespace

void update_conditions(JobStatus& status, const JobSpec& spec, const Observed& observed, Stage stage,
                       const EndedStarts& ended, Time now) {
  const std::vector<EndNote>& notes = ended.notes;
  status.replicas =
      is_finished(status) ? failed_members(status) : count_replicas(status, observed, wanted(spec, stage));
  set_condition(status, {ConditionType::created, true, reasons::job_created, "", now});
  set_ends(status, now);
  if (is_finished(status)) return clear_after_finish(status, now);
  set_condition(status, running_condition(status, spec, observed, stage, notes, now));
  set_condition(status, restarting_condition(status, spec, notes, now));
  set_condition(status, stalled_condition(status, spec, ended.job_stalled, now));
  set_condition(status, suspended_condition(status, spec, observed, stage, now));
  if (holds(status, ConditionType::running) && !status.start_time) status.start_time = now;
}

void finish(JobStatus& status, const JobOutcome& outcome, Time now) {
  const ConditionType end = outcome.succeeded ? ConditionType::succeeded : ConditionType::failed;
  set_condition(status, {end, true, outcome.reason, outcome.message, now});
  set_condition(status, {ConditionType::finished, true, outcome.reason, outcome.message, now});
  status.completion_time = now;
  status.drain_deadline.reset();
}

void park(JobStatus& status, const char* reason, const std::string& message, Time now) {
  set_condition(status, {ConditionType::running, false, reason, message, now});
}

}  // namespace carrack::control
