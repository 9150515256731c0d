#include "operator/core/job_status.h"

#include <algorithm>
#include <tuple>

#include "operator/core/member_words.h"
#include "operator/core/printable.h"

namespace carrack::control {

namespace {

constexpr MemberStatus first_start{.incarnation = 1, .ended = false};

// Returns true if the stored status need not list the member, because status.replicas counts it, so that
// restore_first_starts() can add it again. The limit is for a status that somebody has edited: it must not add millions
// of members.
bool may_be_left_out(const JobStatus& status, const train::Member& member) {
  const auto replicas = status.replicas.find(member.role);
  return replicas != status.replicas.end() && member.index < std::min(replicas->second.desired, replicas_max);
}

}  // namespace

void leave_out_first_starts(JobStatus& status) {
  std::erase_if(status.members, [&](const auto& member) {
    return member.second == first_start && may_be_left_out(status, member.first);
  });
}

void restore_first_starts(JobStatus& status) {
  for (const auto& [role, replicas] : status.replicas) {
    for (int index = 0; may_be_left_out(status, {role, index}); ++index) {
      status.members.try_emplace({role, index}, first_start);
    }
  }
}

const Condition* find(const JobStatus& status, ConditionType type) {
  const auto found = std::find_if(status.conditions.begin(), status.conditions.end(),
                                  [&](const Condition& condition) { return condition.type == type; });
  return found == status.conditions.end() ? nullptr : &*found;
}

bool holds(const JobStatus& status, ConditionType type) {
  const Condition* condition = find(status, type);
  return condition && condition->holds;
}

bool same_conditions_hold(const JobStatus& left, const JobStatus& right) {
  const auto all_of_hold_in = [](const JobStatus& one, const JobStatus& other) {
    return std::all_of(one.conditions.begin(), one.conditions.end(),
                       [&](const Condition& condition) { return !condition.holds || holds(other, condition.type); });
  };
  return all_of_hold_in(left, right) && all_of_hold_in(right, left);
}

bool same_but_for_reports(const JobStatus& left, const JobStatus& right) {
  JobStatus reported = left;
  reported.progress = right.progress;
  reported.progress_time = right.progress_time;
  reported.last_checkpoint = right.last_checkpoint;
  reported.evaluation = right.evaluation;
  reported.best_checkpoint = right.best_checkpoint;
  return reported == right;
}

const Condition* headline_condition(const JobStatus& status) {
  // Later types are more specific; Finished only repeats Succeeded or Failed.
  const auto is_headline = [](const Condition& condition) {
    return condition.holds && condition.type != ConditionType::finished;
  };
  const auto found = std::find_if(status.conditions.rbegin(), status.conditions.rend(), is_headline);
  return found == status.conditions.rend() ? nullptr : &*found;
}

void set_condition(JobStatus& status, const Condition& condition) {
  auto place = std::lower_bound(status.conditions.begin(), status.conditions.end(), condition.type,
                                [](const Condition& other, ConditionType type) { return other.type < type; });
  if (place == status.conditions.end() || place->type != condition.type) {
    place = status.conditions.insert(place, condition);
  } else {
    const Time since = place->holds == condition.holds ? place->since : condition.since;
    *place = condition;
    place->since = since;
  }
  place->message = printable(condition.message, message_bytes_max);
  place->observed_generation = status.observed_generation;
}

bool same_failure_totals(const JobStatus& left, const JobStatus& right) {
  const auto losses = [](const JobStatus& status) {
    return std::tie(status.last_failure, status.restarts, status.disruptions, status.uncharged_restarts,
                    status.lost_steps);
  };
  return losses(left) == losses(right);
}

std::vector<Problem> implausible_counts(const JobStatus& status) {
  constexpr int count_max = 1'000'000'000;
  std::vector<Problem> found;
  const auto expect_plausible = [&](std::int64_t count, const char* name, const train::Member* member = nullptr) {
    if (count >= 0 && count <= count_max) return;
    const std::string of_member = member ? "members." + member_name(*member) + "." : "";
    found.push_back({"status." + of_member + name, "is " + std::to_string(count)});
  };
  expect_plausible(status.attempt, "attempt");
  expect_plausible(status.uncharged_restarts, "unchargedRestarts");
  expect_plausible(std::int64_t{status.attempt} - status.uncharged_restarts, "attempt - unchargedRestarts");
  expect_plausible(status.restarts, "restarts");
  expect_plausible(status.disruptions, "disruptions");
  for (const auto& [member, start] : status.members) {
    expect_plausible(start.incarnation, "incarnation", &member);
    expect_plausible(start.failures, "failures", &member);
    expect_plausible(start.disruptions, "disruptions", &member);
  }
  return found;
}

}  // namespace carrack::control
