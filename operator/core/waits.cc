#include "operator/core/waits.h"

#include <algorithm>
#include <stdexcept>

#include "operator/core/answers.h"
#include "operator/core/causes.h"
#include "operator/core/member_words.h"
#include "operator/core/reasons.h"

namespace carrack::control {
namespace {

using train::Member;
using train::Role;

struct WaitOfMember {
  Wait wait;
  Clause clause;
};

const char* reason_of(Wait wait) {
  switch (wait) {
    case Wait::starting:
      return reasons::waiting_for_members;
    case Wait::not_answered:
      return reasons::not_answered;
    case Wait::disrupted:
      return reasons::disrupted_again;
    case Wait::unschedulable:
      return reasons::unschedulable;
    case Wait::node_refused:
      return reasons::node_refused;
    case Wait::volume_unavailable:
      return reasons::volume_unavailable;
    case Wait::image_unavailable:
      return reasons::image_unavailable;
    case Wait::quota_exceeded:
      return reasons::quota_exceeded;
    case Wait::denied:
      return reasons::denied;
  }
  throw std::logic_error("a wait without a reason");
}

Wait wait_after(const LastRefusal& answer) {
  switch (answer.refusal) {
    case Refusal::quota:
      return Wait::quota_exceeded;
    case Refusal::denied:
    case Refusal::invalid:
      return Wait::denied;
    case Refusal::not_now:
    case Refusal::unanswered:
      return Wait::not_answered;
    case Refusal::not_sent:
      break;
  }
  return Wait::starting;
}

// The process of the member's last start, if a node refused to run it and said why; else nullptr.
const ObservedProcess* refused_process(const JobStatus& status, const Observed& observed, const Member& member) {
  const train::Fence fence{status.attempt, status.members.at(member).incarnation};
  const auto last = std::ranges::find_if(observed.processes, [&](const ObservedProcess& process) {
    return process.member == member && process.fence == fence && process.never_ran && !process.message.empty();
  });
  return last == observed.processes.end() ? nullptr : &*last;
}

WaitOfMember wait_of_member(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                            const std::vector<EndNote>& notes, const Member& member) {
  const auto start = status.members.find(member);
  if (start == status.members.end()) return {Wait::starting, {member, " was never started", " were never started"}};
  const auto end =
      std::ranges::find_if(notes, [&](const EndNote& note) { return note.member == member && !note.had_run; });
  if (end != notes.end()) return {end->wait, clause_of(member, end->words, end->node)};
  if (start->second.ended && start->second.disruptions >= disruptions_noted) {
    const std::string words = "was ended by the cluster or refused by its nodes " +
                              std::to_string(start->second.disruptions) + " times in a row";
    return {Wait::disrupted, {member, " " + words, " " + words}};
  }
  if (start->second.ended) {
    if (const ObservedProcess* last = refused_process(status, observed, member)) {
      return {Wait::node_refused, clause_of(member, "never ran: " + last->message, last->node)};
    }
    return {Wait::starting, {member, " waits before its next start", " wait before their next start"}};
  }
  const ObservedProcess* process = current_process(status, observed, member);
  if (process && !process->message.empty()) return {process->wait, clause_of(member, process->message, process->node)};
  const LastRefusal* answer = process ? nullptr : last_refusal_of(status, spec, observed, member);
  if (answer && !answer->words.empty())
    return {wait_after(*answer), clause_of(member, "not created: " + answer->words)};
  return {process ? process->wait : Wait::starting, {member, " is starting", " are starting"}};
}

bool is_done(const JobStatus& status, const Member& member) {
  const auto start = status.members.find(member);
  return start != status.members.end() && start->second.done;
}

// The waits of the members that do not run and are not done.
std::vector<WaitOfMember> waits_of(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                                   const std::vector<EndNote>& notes, const std::vector<Member>& members) {
  std::vector<WaitOfMember> waits;
  for (const Member& member : members) {
    const ObservedProcess* process = current_process(status, observed, member);
    if (is_done(status, member) || (process && process->state == ProcessState::running)) continue;
    waits.push_back(wait_of_member(status, spec, observed, notes, member));
  }
  return waits;
}

// What keeps objects that the members share, such as the Service, from being created.
struct WaitForObjects {
  Wait worst = Wait::starting;
  std::string message;  // about all objects that the cluster has refused; empty if there are none
};

WaitForObjects wait_for_objects(const JobStatus& status, const JobSpec& spec, const Observed& observed) {
  WaitForObjects wait;
  for (const std::string& name : missing_objects(spec, status, observed)) {
    const LastRefusal* answer = last_refusal_of(observed, name);
    if (!answer || answer->words.empty()) continue;
    wait.worst = std::max(wait.worst, wait_after(*answer));
    wait.message += (wait.message.empty() ? "" : "; ") + name + ": not created: " + answer->words;
  }
  return wait;
}

// Returns the message about objects and then the one about members. Either may be empty.
std::string joined(const std::string& of_objects, const std::string& of_members) {
  return of_objects + (of_objects.empty() || of_members.empty() ? "" : "; ") + of_members;
}

// Returns the wait that keeps this role from being complete. `lacking` is the number of members that must run and do
// not. The role is complete once the `lacking` easiest waits have ended, so the worst of these counts, and harder waits
// do not.
Wait wait_of_role(const std::vector<WaitOfMember>& waits, Role role, int lacking) {
  std::vector<Wait> sorted;
  for (const WaitOfMember& one : waits) {
    if (one.clause.member.role == role) sorted.push_back(one.wait);
  }
  std::ranges::sort(sorted);
  if (lacking <= 0 || sorted.empty()) return Wait::starting;
  return sorted[std::min(static_cast<std::size_t>(lacking), sorted.size()) - 1];
}

}  // namespace

int needed(const JobSpec& spec, Role role, const ReplicaStatus& replicas) {
  return std::min(min_of(spec, role), replicas.desired) - replicas.succeeded;
}

bool has_failed(const JobStatus& status, const Member& member) {
  const auto start = status.members.find(member);
  if (start == status.members.end()) return false;
  // An end of the process itself sets not_before. If the operator ends a start because its member is not wanted any
  // more, not_before stays unset.
  const bool ended_by_itself = start->second.ended && start->second.not_before != Time{};
  const bool ended_the_job =
      holds(status, ConditionType::failed) && status.last_failure && status.last_failure->member == member_name(member);
  return ended_by_itself && (start->second.failures > 0 || ended_the_job);
}

std::map<Role, ReplicaStatus> count_replicas(const JobStatus& status, const Observed& observed,
                                             const std::vector<Member>& members) {
  std::map<Role, ReplicaStatus> replicas;
  for (const Member& member : members) {
    const ObservedProcess* process = current_process(status, observed, member);
    ReplicaStatus& of_role = replicas[member.role];
    ++of_role.desired;
    const bool runs = process && process->state == ProcessState::running;
    const bool is_over = !runs && has_failed(status, member);
    ++(is_done(status, member) ? of_role.succeeded
       : runs                  ? of_role.running
       : is_over               ? of_role.failed
                               : of_role.pending);
  }
  return replicas;
}

bool enough_members_run(const JobSpec& spec, const std::map<Role, ReplicaStatus>& replicas) {
  return std::ranges::all_of(
      replicas, [&](const auto& role) { return role.second.running >= needed(spec, role.first, role.second); });
}

std::string lasting_waits(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                          const std::vector<EndNote>& notes, const std::vector<Member>& members) {
  std::vector<Clause> clauses;
  for (WaitOfMember& one : waits_of(status, spec, observed, notes, members)) {
    if (one.wait != Wait::starting) clauses.push_back(std::move(one.clause));
  }
  return joined(wait_for_objects(status, spec, observed).message, describe_causes(clauses, status.replicas));
}

WaitOfJob wait_of(const JobStatus& status, const JobSpec& spec, const Observed& observed,
                  const std::vector<EndNote>& notes, const std::vector<Member>& members) {
  const WaitForObjects of_objects = wait_for_objects(status, spec, observed);
  Wait worst = of_objects.worst;
  const std::vector<WaitOfMember> waits = waits_of(status, spec, observed, notes, members);
  std::vector<Clause> clauses;
  for (const WaitOfMember& one : waits) clauses.push_back(one.clause);
  for (const auto& [role, replicas] : status.replicas) {
    worst = std::max(worst, wait_of_role(waits, role, needed(spec, role, replicas) - replicas.running));
  }
  return {reason_of(worst), joined(of_objects.message, describe_causes(clauses, status.replicas))};
}

}  // namespace carrack::control
