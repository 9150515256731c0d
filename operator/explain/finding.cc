#include "operator/explain/finding.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "operator/core/last_failure.h"
#include "operator/core/reasons.h"
#include "operator/core/restart.h"
#include "operator/explain/advice.h"
#include "operator/explain/member_rows.h"
#include "operator/explain/pace.h"
#include "operator/explain/phrases.h"

namespace carrack::control {
namespace {

using train::Member;
using train::Role;

constexpr std::string_view no_run_is_at_work = "stands still: no `carrack run` is at work in its folder";
constexpr std::string_view nobody_took_it_up = "waits: no operator has taken it up";

const Condition* holding(const JobStatus& status, ConditionType type) {
  return holds(status, type) ? find(status, type) : nullptr;
}

// Returns the condition that says how the job is doing; nullptr if it has none yet. While the job only waits for
// members to start, a stall or a restart says more than the condition Running.
const Condition* telling_condition(const JobStatus& status) {
  for (const ConditionType type : {ConditionType::failed, ConditionType::succeeded, ConditionType::suspended}) {
    if (const Condition* condition = holding(status, type)) return condition;
  }
  const Condition* running = find(status, ConditionType::running);
  const Condition* restarting = holding(status, ConditionType::restarting);
  const bool only_starts = running && !running->holds && running->reason == reasons::waiting_for_members;
  if (only_starts) {
    if (const Condition* stalled = holding(status, ConditionType::stalled)) return stalled;
  }
  if (restarting && (!running || only_starts)) return restarting;
  return running ? running : find(status, ConditionType::created);
}

std::optional<Wait> wait_for(std::string_view reason) {
  static const std::map<std::string_view, Wait> waits = {{reasons::unschedulable, Wait::unschedulable},
                                                         {reasons::node_refused, Wait::node_refused},
                                                         {reasons::volume_unavailable, Wait::volume_unavailable},
                                                         {reasons::image_unavailable, Wait::image_unavailable}};
  const auto found = waits.find(reason);
  return found == waits.end() ? std::nullopt : std::optional(found->second);
}

bool is_refusal(std::string_view reason) {
  return reason == reasons::denied || reason == reasons::quota_exceeded || reason == reasons::not_answered;
}

// Returns the members that wait for this reason; none if they are not known. If the reason is that the cluster refuses
// to create processes, these are the members without a process of their current start. Otherwise they are the members
// whose current process is pending for this reason.
std::set<Member> members_that_wait(const JobView& view, std::string_view reason) {
  std::set<Member> members;
  const std::optional<Wait> wait = wait_for(reason);
  for (const ObservedProcess& process : view.processes) {
    const bool is_pending = process.state == ProcessState::pending && is_current(view.status, process);
    if (is_pending && wait && process.wait == *wait) members.insert(process.member);
  }
  if (!view.has_processes || !is_refusal(reason)) return members;
  for (const auto& [member, start] : view.status.members) {
    const ObservedProcess* newest = newest_process(view, member);
    if (!start.ended && !(newest && is_current(view.status, *newest))) members.insert(member);
  }
  return members;
}

struct Concerned {
  std::string phrase;  // such as "ps 0 and 2 of 4 workers"
  std::optional<Role> role;
};

Concerned concerned_members(const JobView& view, std::string_view reason) {
  const std::set<Member> members = members_that_wait(view, reason);
  Concerned concerned;
  std::vector<std::string> phrases;
  for (const auto& [role, counts] : view.status.replicas) {
    const auto is_of_role = [&, role = role](const Member& member) { return member.role == role; };
    const auto first = std::ranges::find_if(members, is_of_role);
    const auto known = static_cast<int>(std::ranges::count_if(members, is_of_role));
    const int count = members.empty() ? counts.pending + counts.failed : known;
    if (count == 0) continue;
    const std::optional<int> index = first == members.end() ? std::nullopt : std::optional(first->index);
    phrases.push_back(members_phrase(role, count, counts.desired, index));
    if (!concerned.role) concerned.role = role;
  }
  concerned.phrase = phrases.empty() ? "members" : enumerated(phrases);
  return concerned;
}

// Says how long the user's own program has run, because nothing else is known of its progress.
std::string time_of_own_program(const JobView& view) {
  if (!view.status.start_time)
    return view.status.completion_time ? "it is not known how long its program ran" : "its program has not run yet";
  const Time until = view.status.completion_time.value_or(view.now);
  return std::string(view.status.completion_time ? "its program ran for " : "its program runs for ") +
         duration_text(static_cast<double>((until - *view.status.start_time).count()));
}

std::string progress_of(const JobView& view) {
  if (view.spec.own) return time_of_own_program(view);
  const std::string steps = step_phrase(view.status);
  if (steps.empty()) return "it has not reported a step yet";
  if (view.status.completion_time && view.status.start_time) {
    return steps + ", in " +
           duration_text(static_cast<double>((*view.status.completion_time - *view.status.start_time).count()));
  }
  const std::string left = time_left(view);
  return steps + (left.empty() ? "" : ", " + left);
}

// Returns the role of the member that failed last; `worker` if none has failed.
std::string role_that_failed(const JobStatus& status) {
  if (!status.last_failure) return std::string(train::spelled(Role::worker));
  return status.last_failure->member.substr(0, status.last_failure->member.rfind('-'));
}

// Returns the argument with which `carrack` commands find this job: its name, or the folder of the run.
std::string target_of(const JobView& view) {
  return view.place == Place::kubernetes ? view.spec.name : view.where;
}

// Returns the sentences that replace the word AGAIN in a cure (advice.cc). They say how to run the job again.
std::string again_text(const JobView& view) {
  return filled_in(retry_advice(view.spec, view.place),
                   {{"TARGET", target_of(view)}, {"CHECKPOINTS", view.spec.config.checkpoint.folder}});
}

Finding filled(const JobView& view, std::string_view verdict, std::string_view cure, const Condition* condition) {
  const Concerned concerned = concerned_members(view, condition ? condition->reason : "");
  const std::string role =
      concerned.role ? std::string(train::spelled(*concerned.role)) : role_that_failed(view.status);
  const std::map<std::string, std::string> words = {
      {"MEMBERS", concerned.phrase},   {"ROLE", role},
      {"PROGRESS", progress_of(view)}, {"JOB", view.spec.name},
      {"TARGET", target_of(view)},     {"CHECKPOINTS", view.spec.config.checkpoint.folder},
      {"AGAIN", again_text(view)}};
  return {filled_in(verdict, words), filled_in(cure, words), condition};
}

Finding of_condition(const JobView& view, const Condition& condition) {
  const Advice* advice = advice_about(view.spec, condition.reason);
  if (!advice) {
    return {"is in a state that this release does not know: " + condition.reason,
            "Use the `carrack` of the operator's release.", &condition};
  }
  const bool is_run = view.place == Place::this_machine;
  const std::string_view cure = is_run && !advice->cure_of_run.empty() ? advice->cure_of_run : advice->cure;
  const bool is_about_an_end = condition.holds && is_about_last_failure(condition.reason);
  Finding finding = filled(view, advice->verdict, cure, &condition);
  const std::string_view of_end =
      is_about_an_end && view.status.last_failure ? cure_of_end(view.spec, *view.status.last_failure) : "";
  if (!of_end.empty()) {
    // Here ROLE is the role of the member that failed. filled() would take the role of the members that wait now, which
    // may be others while the job restarts.
    const std::string role = role_that_failed(view.status);
    finding.cure = filled_in(of_end, {{"ROLE", role}, {"TARGET", target_of(view)}}) + " " + finding.cure;
  }
  return finding;
}

// True if an event says that the operator cannot decode the job, and the operator has not decided on the present spec.
bool is_unreadable(const JobView& view) {
  const bool is_behind = view.status.conditions.empty() || view.status.observed_generation < view.spec.generation;
  return is_behind && std::ranges::any_of(view.events, [](const SeenEvent& event) {
           return event.pod.empty() && event.reason == reasons::unreadable;
         });
}

}  // namespace

Finding finding_of(const JobView& view) {
  const Condition* condition = telling_condition(view.status);
  const bool is_over = is_finished(view.status) || holds(view.status, ConditionType::suspended);
  if (view.is_being_deleted) return {"is being deleted", "Wait; Kubernetes removes its pods.", condition};
  if (view.place == Place::this_machine && !view.is_at_work && !is_over) {
    const Advice* advice = advice_about(view.spec, reasons::suspended);
    return {std::string(no_run_is_at_work), std::string(advice->cure_of_run), nullptr};
  }
  if (is_unreadable(view)) {
    const Advice* advice = advice_about(view.spec, reasons::unreadable);
    return filled(view, advice->verdict, advice->cure, nullptr);
  }
  if (condition) return of_condition(view, *condition);
  return {std::string(nobody_took_it_up),
          "Wait some seconds. If that does not help, check that the operator runs and watches this namespace: `kubectl "
          "get pods -A -l app.kubernetes.io/name=carrack`.",
          nullptr};
}

}  // namespace carrack::control
