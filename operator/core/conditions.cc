#include "operator/core/conditions.h"

#include <algorithm>

namespace carrack::control {
namespace {

using train::Member;
using train::Role;

bool runs(const JobStatus& status, const Observed& observed, const Member& member) {
  const ObservedProcess* process = current_process(status, observed, member);
  return process && process->state == ProcessState::running;
}

void count(JobStatus& status, const Observed& observed, const std::vector<Member>& members) {
  status.replicas.clear();
  for (const Member& member : members) {
    ReplicaStatus& replicas = status.replicas[member.role];
    ++replicas.desired;
    ++(runs(status, observed, member) ? replicas.running : replicas.pending);
  }
}

// Trains with all parameter servers and at least the fewest workers.
bool suffices(const JobStatus& status, const JobSpec& spec) {
  return std::all_of(status.replicas.begin(), status.replicas.end(), [&](const auto& replicas) {
    const auto& [role, counts] = replicas;
    return counts.running >= (role == Role::worker ? spec.config.workers.min : counts.desired);
  });
}

std::string wait_of(const JobStatus& status, const Observed& observed, const Member& member) {
  const auto start = status.members.find(member);
  if (start == status.members.end()) return text_of(member) + " was never started";
  if (start->second.ended) return text_of(member) + " rests before its next start";
  const ObservedProcess* process = current_process(status, observed, member);
  return text_of(member) + (process && !process->message.empty() ? ": " + process->message : " is starting");
}

std::string text_of(const DataWork& work) {
  const auto total = static_cast<double>(std::max<std::int64_t>(work.total_bytes, 1));
  const double percent = std::min(100.0, 100 * static_cast<double>(work.bytes) / total);
  const bool indexes = work.kind == DataWork::Kind::indexing;
  return std::string(indexes ? "finds out where the records are: " : "writes the snapshot of its data: ") +
         std::to_string(work.files) + " of " + std::to_string(work.total_files) + " files, " +
         std::to_string(static_cast<int>(percent)) + "% of their bytes";
}

Condition running(const JobStatus& status, const JobSpec& spec, const Observed& observed, Stage stage, Time now) {
  const auto no = [&](const char* reason, const std::string& message) {
    return Condition{ConditionType::running, false, reason, message, now};
  };
  if (stage == Stage::draining) return no("Draining", "workers leave, then the coordinator commits");
  if (stage == Stage::stopped) return no("Suspended", "");
  if (suffices(status, spec)) {
    const CoordinatorReport* report = current_report(status, spec, observed);
    if (report && report->data_work) {
      const bool indexes = report->data_work->kind == DataWork::Kind::indexing;
      return no(indexes ? "Indexing" : "Preparing", text_of(*report->data_work));
    }
    return {ConditionType::running, true, "MembersRunning", "", now};
  }
  std::string waits = observed.refused;
  for (const Member& member : wanted(spec, stage)) {
    if (runs(status, observed, member)) continue;
    waits += (waits.empty() ? "" : "; ") + wait_of(status, observed, member);
  }
  return no("WaitingForMembers", waits);
}

bool starts_again(const JobStatus& status, const Observed& observed, const Member& member, Time now) {
  const auto start = status.members.find(member);
  if (start == status.members.end() || runs(status, observed, member)) return false;
  // It succeeded, and rests while the leader ends too: nothing is wrong.
  if (start->second.ended && start->second.failures == 0 && now < start->second.not_before) return false;
  return status.attempt > 0 || start->second.incarnation > 1 || (start->second.incarnation == 1 && start->second.ended);
}

Condition restarting(const JobStatus& status, const Observed& observed, const std::vector<Member>& members,
                     const std::vector<std::string>& notes, Time now) {
  const bool restarts = std::any_of(members.begin(), members.end(),
                                    [&](const Member& member) { return starts_again(status, observed, member, now); });
  if (!restarts) return {ConditionType::restarting, false, "NothingRestarts", "", now};
  const Condition* before = find(status, ConditionType::restarting);
  std::string message = before && before->holds ? before->message : "";
  if (!notes.empty()) message.clear();
  for (const std::string& note : notes) message += (message.empty() ? "" : "; ") + note;
  return {ConditionType::restarting, true, status.attempt > 0 ? "JobRestarts" : "MemberRestarts", message, now};
}

Condition suspended(const JobStatus& status, const JobSpec& spec, Stage stage, Time now) {
  if (stage == Stage::stopped) return {ConditionType::suspended, true, "Suspended", "", now};
  if (stage == Stage::draining || spec.suspend) return {ConditionType::suspended, false, "Draining", "", now};
  const Condition* before = find(status, ConditionType::suspended);
  const bool resumed = before && (before->holds || before->reason == "Resumed");
  return {ConditionType::suspended, false, resumed ? "Resumed" : "NotSuspended", "", now};
}

void conclude(JobStatus& status, Time now) {
  for (const ConditionType type : {ConditionType::running, ConditionType::restarting, ConditionType::suspended}) {
    set_condition(status, {type, false, "Finished", "", now});
  }
}

}  // namespace

void describe(JobStatus& status, const JobSpec& spec, const Observed& observed, Stage stage,
              const std::vector<std::string>& notes, Time now) {
  const std::vector<Member> members = wanted(spec, stage);
  count(status, observed, members);
  set_condition(status, {ConditionType::created, true, "JobCreated", "", now});
  if (is_finished(status)) return conclude(status, now);
  set_condition(status, running(status, spec, observed, stage, now));
  set_condition(status, restarting(status, observed, members, notes, now));
  set_condition(status, suspended(status, spec, stage, now));
  set_condition(status, {ConditionType::finished, false, "NotFinished", "", now});
  if (holds(status, ConditionType::running) && !status.start_time) status.start_time = now;
}

void finish(JobStatus& status, const Verdict& verdict, Time now) {
  const ConditionType end = verdict.succeeded ? ConditionType::succeeded : ConditionType::failed;
  set_condition(status, {end, true, verdict.reason, verdict.message, now});
  set_condition(status, {ConditionType::finished, true, verdict.reason, verdict.message, now});
  status.completion_time = now;
  status.drain_deadline.reset();
}

void park(JobStatus& status, const std::string& broken, Time now) {
  set_condition(status, {ConditionType::running, false, "OperatorBug", broken, now});
}

}  // namespace carrack::control
