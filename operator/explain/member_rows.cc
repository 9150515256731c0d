#include "operator/explain/member_rows.h"

#include <algorithm>

#include "operator/core/exit_words.h"
#include "operator/core/member_words.h"
#include "operator/core/plan.h"
#include "operator/core/restart.h"
#include "operator/explain/phrases.h"

namespace carrack::control {
namespace {

using train::Member;

std::string exit_phrase(const JobSpec& spec, int exit_code) {
  std::string name(exit_name(spec, exit_code));
  if (const auto signal = signal_of(exit_code)) name = "signal " + std::to_string(*signal);
  return "exit code " + std::to_string(exit_code) + (name.empty() ? "" : " (" + name + ")");
}

void describe_process(MemberRow& row, const JobSpec& spec, const ObservedProcess& process) {
  row.node = process.node;
  row.why = process.message;
  switch (process.state) {
    case ProcessState::pending:
      row.state = "pending";
      break;
    case ProcessState::running:
      row.state = process.terminating ? "leaving" : "running";
      row.is_well = !process.terminating;
      break;
    case ProcessState::exited:
      row.state = "ended";
      row.is_well = process.exit_code == 0;
      row.why = exit_phrase(spec, process) + (process.message.empty() ? "" : ": " + process.message);
      break;
  }
}

// Fills in the row from the status alone; describe_process() overwrites it if a process is known. A process on this
// machine is never pending, so a member that was started there is running.
void describe_start(MemberRow& row, const JobView& view, const MemberStatus& start) {
  const bool goes_on = !start.ended && !is_finished(view.status);
  if (view.place == Place::this_machine) {
    row.state = !goes_on ? "ended" : view.is_at_work ? "running" : "stopped";
  } else {
    row.state = !goes_on ? "ended" : view.has_processes ? "missing" : "started";
  }
  const bool may_end = holds(view.status, ConditionType::succeeded) || holds(view.status, ConditionType::suspended);
  row.is_well = goes_on ? row.state == "running" || row.state == "started" : may_end;
}

MemberRow row_of(const JobView& view, const Member& member) {
  MemberRow row{.member = member, .state = "missing"};
  const auto start = view.status.members.find(member);
  const ObservedProcess* process = newest_process(view, member);
  if (start != view.status.members.end()) {
    row.restarts = std::max(0, start->second.incarnation - 1);
    row.failures = start->second.failures;
    describe_start(row, view, start->second);
    if (start->second.incarnation == 0 && !is_finished(view.status)) row.state = "missing";
  }
  if (process) describe_process(row, view.spec, *process);
  if (start == view.status.members.end() || !start->second.ended) return row;
  const std::optional<LastFailure>& failure = view.status.last_failure;
  if (!process && failure && failure->member == member_name(member)) row.why = end_phrase(view.spec, *failure);
  const bool nobody_starts_it = view.place == Place::this_machine && !view.is_at_work;
  if (is_finished(view.status) || nobody_starts_it) return row;
  if (start->second.not_before > view.now) {
    row.state = "resting";
    row.is_well = false;
    row.why = "starts again " + time_from_now(start->second.not_before, view.now) +
              (row.why.empty() ? "" : "; before: " + row.why);
  }
  return row;
}

}  // namespace

const ObservedProcess* newest_process(const JobView& view, const Member& member) {
  const ObservedProcess* newest = nullptr;
  for (const ObservedProcess& process : view.processes) {
    if (process.member == member && (!newest || process.fence > newest->fence)) newest = &process;
  }
  return newest;
}

std::string exit_phrase(const JobSpec& spec, const ObservedProcess& process) {
  return process.never_ran ? "never ran" : exit_phrase(spec, process.exit_code);
}

std::string end_phrase(const JobSpec& spec, const LastFailure& failure) {
  const bool is_said = failure.reason.empty() || failure.message.starts_with(failure.reason);
  return (failure.exit_code ? exit_phrase(spec, *failure.exit_code) + ": " : "") +
         (is_said ? "" : failure.reason + ": ") + failure.message;
}

std::string failure_phrase(const JobSpec& spec, const LastFailure& failure, Time now) {
  return failure.member + ", " + time_from_now(failure.time, now) +
         (failure.pod.empty() ? "" : ", pod " + failure.pod) +
         (failure.node.empty() ? "" : ", on node " + failure.node) + ": " + end_phrase(spec, failure);
}

std::vector<MemberRow> member_rows(const JobView& view) {
  std::vector<Member> members = members_of(view.spec);
  for (const auto& [member, start] : view.status.members) {
    if (std::ranges::find(members, member) == members.end()) members.push_back(member);
  }
  std::ranges::sort(members);
  std::vector<MemberRow> rows;
  for (const Member& member : members) rows.push_back(row_of(view, member));
  return rows;
}

}  // namespace carrack::control
