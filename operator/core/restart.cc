#include "operator/core/restart.h"

#include <algorithm>

#include "operator/core/plan.h"
#include "trainer/launch/exit.h"

namespace carrack::control {
namespace {

using train::Exit;

enum class Ending { succeeded, user_error, checkpoint_taken, left, failed };

struct Ended {
  train::Member member;
  Ending ending;
  std::string text;
};

std::string exit_text(const ObservedProcess& process) {
  for (const auto& spelling : train::spellings<Exit>) {
    if (static_cast<int>(spelling.value) == process.exit_code) return std::string(spelling.text);
  }
  if (process.exit_code > 128) return "ended by signal " + std::to_string(process.exit_code - 128);
  return "exit code " + std::to_string(process.exit_code);
}

Ending ending_of(const ObservedProcess& process) {
  switch (static_cast<Exit>(process.exit_code)) {
    case Exit::succeeded:
      return Ending::succeeded;
    case Exit::user_error:
      return Ending::user_error;
    case Exit::checkpoint_taken:
      return Ending::checkpoint_taken;
    case Exit::drained:
      return Ending::left;
    case Exit::platform_error:
    case Exit::bug:
    case Exit::superseded:
      return Ending::failed;
  }
  return process.disrupted ? Ending::left : Ending::failed;
}

std::optional<Ended> end_of(const train::Member& member, const ObservedProcess* process, const std::string& refused) {
  if (!process) {
    return Ended{member, Ending::left,
                 text_of(member) + (refused.empty() ? ": vanished" : ": not created: " + refused)};
  }
  if (process->state == ProcessState::exited) {
    const std::string words = process->message.empty() ? "" : ": " + process->message;
    return Ended{member, ending_of(*process), text_of(member) + ": " + exit_text(*process) + words};
  }
  if (process->terminating) return Ended{member, Ending::left, text_of(member) + ": is taken away by the cluster"};
  return std::nullopt;
}

// A leader ends with success once it was asked for the commit of its last step, or after a while in which nobody asked.
// One that told of none is started again: a trainer then tells what HEAD holds, and what is none never does.
bool has_told_the_last_commit(const JobStatus& status) {
  return status.progress && status.progress->steps > 0 && status.last_checkpoint &&
         status.last_checkpoint->step >= status.progress->steps;
}

void rest(MemberStatus& member, Ending ending, Time now) {
  member.ended = true;
  member.not_before = now;
  if (ending == Ending::succeeded) member.not_before += patience_with_leader;
  if (ending == Ending::failed) member.not_before += member_rest(++member.failures);
}

std::optional<Verdict> verdict_of(const std::vector<Ended>& ends, const train::Member& leader) {
  for (const Ended& end : ends) {
    if (end.member == leader && end.ending == Ending::succeeded) return Verdict{true, "TrainingSucceeded", ""};
  }
  for (const Ended& end : ends) {
    if (end.ending == Ending::checkpoint_taken) return Verdict{false, "CheckpointTaken", end.text};
    if (end.ending == Ending::user_error) return Verdict{false, "UserError", end.text};
  }
  return std::nullopt;
}

// All members start anew, from the last commit.
void next_attempt(JobStatus& status, const JobSpec& spec, Time now) {
  ++status.attempt;
  status.members.clear();
  for (const auto& member : members_of(spec.config)) {
    status.members[member].not_before = now + job_rest(status.attempt);
  }
}

}  // namespace

const ObservedProcess* current_process(const JobStatus& status, const Observed& observed, const train::Member& member) {
  const auto found = std::find_if(
      observed.processes.begin(), observed.processes.end(),
      [&](const ObservedProcess& process) { return process.member == member && is_current(status, process); });
  return found == observed.processes.end() ? nullptr : &*found;
}

const CoordinatorReport* current_report(const JobStatus& status, const JobSpec& spec, const Observed& observed) {
  const auto leader = status.members.find(leader_of(spec.config.strategy));
  if (!observed.report || leader == status.members.end()) return nullptr;
  const train::Fence fence{status.attempt, leader->second.incarnation};
  return observed.report->fence == fence ? &*observed.report : nullptr;
}

bool is_current(const JobStatus& status, const ObservedProcess& process) {
  const auto member = status.members.find(process.member);
  return member != status.members.end() && !member->second.ended &&
         process.fence == train::Fence{status.attempt, member->second.incarnation};
}

Accounting account(JobStatus& status, const JobSpec& spec, const Observed& observed, Time now) {
  Accounting accounting;
  std::vector<Ended> ends;
  for (const auto& [member, start] : status.members) {
    if (start.ended) continue;
    auto end = end_of(member, current_process(status, observed, member), observed.refused);
    if (!end) continue;
    const bool leads = member == leader_of(spec.config.strategy);
    if (leads && end->ending == Ending::succeeded && !has_told_the_last_commit(status)) {
      *end = {member, Ending::failed, end->text + ", and told of no commit of the last step"};
    }
    ends.push_back(*std::move(end));
  }
  bool worn_out = false;
  for (const Ended& end : ends) {
    MemberStatus& member = status.members.at(end.member);
    rest(member, end.ending, now);
    worn_out = worn_out || member.failures >= failures_of_an_attempt;
    if (end.ending != Ending::succeeded) accounting.notes.push_back(end.text);
  }
  accounting.verdict = verdict_of(ends, leader_of(spec.config.strategy));
  if (accounting.verdict || !worn_out) return accounting;
  if (status.attempt >= spec.backoff_limit) {
    const std::string limit = "spec.backoffLimit allows " + std::to_string(spec.backoff_limit) + " restarts; last: ";
    accounting.verdict = Verdict{false, "BackoffLimitExceeded", limit + accounting.notes.back()};
  } else {
    next_attempt(status, spec, now);
  }
  return accounting;
}

JobStatus tried_again(JobStatus status) {
  ++status.attempt;
  status.members.clear();
  std::erase_if(status.conditions, [](const Condition& condition) {
    return condition.type == ConditionType::failed || condition.type == ConditionType::finished;
  });
  status.completion_time.reset();
  return status;
}

seconds member_rest(int failures) {
  return failures <= 1 ? seconds(0) : seconds(10) * (failures - 1);
}

seconds job_rest(int attempt) {
  constexpr int doublings = 6;
  return std::min(seconds(600), seconds(10) * (1 << std::clamp(attempt - 1, 0, doublings)));
}

std::string text_of(const train::Member& member) {
  return std::string(train::spelled(member.role)) + " " + std::to_string(member.index);
}

}  // namespace carrack::control
