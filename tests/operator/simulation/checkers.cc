#include "tests/operator/simulation/checkers.h"

#include <algorithm>

#include "operator/core/plan.h"
#include "operator/core/protocol.h"
#include "operator/core/reported_hung.h"
#include "operator/core/restart.h"
#include "trainer/launch/exit.h"

namespace carrack::simulation {
namespace {

using control::ConditionType;
using control::JobSpec;
using control::JobStatus;

std::string text_of(const train::Fence& fence) {
  return std::to_string(fence.attempt) + "." + std::to_string(fence.incarnation);
}

bool is_charged(int exit_code) {
  constexpr int uncharged[] = {static_cast<int>(train::Exit::succeeded), static_cast<int>(train::Exit::drained),
                               static_cast<int>(train::Exit::user_error),
                               static_cast<int>(train::Exit::checkpoint_taken)};
  return std::find(std::begin(uncharged), std::end(uncharged), exit_code) == std::end(uncharged);
}

}  // namespace

void violated(const std::string& checker, const std::string& text) {
  throw Violation{checker, text};
}

void Checkers::created(const std::string& uid, const train::Member& member, const train::Fence& fence,
                       const JobStatus& recorded) {
  if (!started_.insert({uid, member, fence}).second) {
    violated("incarnations are unique", control::describe(member) + " " + text_of(fence) + " was created twice");
  }
  const auto known = recorded.members.find(member);
  const train::Fence highest{recorded.attempt, known == recorded.members.end() ? 0 : known->second.incarnation};
  if (fence > highest) {
    violated("incarnations are raised before the create",
             control::describe(member) + " " + text_of(fence) + " is created, recorded is " + text_of(highest));
  }
}

void Checkers::has_image(const std::string& uid, int attempt, const std::string& image) {
  const std::string& first = images_.try_emplace({uid, attempt}, image).first->second;
  if (image != first)
    violated("an attempt has one image", "attempt " + std::to_string(attempt) + " has " + first + " and " + image);
}

void Checkers::exited(const std::string& uid, const train::Member& member, int attempt, int exit_code) {
  if (exit_code == 0) succeeded_.insert({uid, member, attempt});
  if (is_charged(exit_code)) ++charged_[{uid, member, attempt}];
}

int Checkers::charged(const std::string& uid, const train::Member& member, int attempt) const {
  const auto found = charged_.find({uid, member, attempt});
  return found == charged_.end() ? 0 : found->second;
}

void Checkers::check_limit(const JobSpec& spec, const JobStatus& after) const {
  if (control::charged_restarts(after) > spec.run.backoff_limit) {
    violated("attempts stay within the limit",
             "attempt " + std::to_string(after.attempt) + " of " + std::to_string(spec.run.backoff_limit));
  }
}

void Checkers::check_charges(const JobSpec& spec, const JobStatus& before, const JobStatus& after) const {
  for (const auto& [member, start] : after.members) {
    if (start.failures > charged(spec.uid, member, after.attempt)) {
      violated("only present failures are charged", control::describe(member) + " is charged " +
                                                        std::to_string(start.failures) + " failures in attempt " +
                                                        std::to_string(after.attempt) + ", it had " +
                                                        std::to_string(charged(spec.uid, member, after.attempt)));
    }
  }
  if (after.attempt == before.attempt) return;
  const bool worn_out = std::any_of(before.members.begin(), before.members.end(), [&](const auto& member) {
    return charged(spec.uid, member.first, before.attempt) >= control::member_failures_max;
  });
  const bool ruled = std::ranges::any_of(spec.run.failure_rules, [](const control::FailureRule& rule) {
    return rule.action == control::FailureAction::restart_job;
  });
  const bool restarts_as_one = control::protocol_of(spec).restarts_as_one(spec);
  const bool has_cause = worn_out || ruled || restarts_as_one || holds(after, ConditionType::stalled);
  if (after.attempt != before.attempt + 1 || !has_cause) {
    violated("only present failures are charged", "attempt " + std::to_string(before.attempt) + " becomes " +
                                                      std::to_string(after.attempt) + " without a cause");
  }
}

// Of the trainer HEAD says so, and of the user's own program how its processes have exited.
void Checkers::check_success(const JobSpec& spec, const JobStatus& after) const {
  if (!spec.own) {
    if (!done_.contains(spec.uid))
      violated("success is committed", "the job is written as succeeded, HEAD holds no last commit");
    return;
  }
  for (const train::Member& member : control::members_of(spec)) {
    const bool counts = spec.own->success == control::SuccessPolicy::leader ? member == control::leader_of(spec)
                                                                            : member.role != train::Role::ps;
    if (counts && !succeeded_.contains({spec.uid, member, after.attempt}))
      violated("success is of those that count", control::describe(member) + " has not ended with success");
  }
}

// Each member once in ten minutes, and one a minute. A time may become an earlier one after the clock was set back.
void Checkers::check_reported_hung(const JobStatus& before, const JobStatus& after) {
  if (after.attempt != before.attempt) return;
  for (const auto& [member, start] : after.members) {
    const auto known = before.members.find(member);
    const auto time_before = known == before.members.end() ? std::nullopt : known->second.reported_hung;
    if (!start.reported_hung || (time_before && *start.reported_hung <= *time_before)) continue;
    for (const auto& [other, was] : before.members) {
      const control::seconds pause = other == member ? control::hung_again_after : control::next_hung_after;
      if (!was.reported_hung || *start.reported_hung >= *was.reported_hung + pause) continue;
      violated("a report replaces few members",
               control::describe(member) + " is replaced soon after " + control::describe(other));
    }
  }
}

void Checkers::status_written(const JobSpec& spec, const JobStatus& before, const JobStatus& after) {
  for (const ConditionType type : {ConditionType::finished, ConditionType::succeeded, ConditionType::failed}) {
    if (is_finished(before) && holds(before, type) != holds(after, type)) {
      violated("finished stays finished", "a finished job is written as another");
    }
  }
  if (!is_finished(before) && holds(after, ConditionType::succeeded)) check_success(spec, after);
  const control::Condition* failed = find(after, ConditionType::failed);
  if (failed && failed->reason == "CheckpointLost") violated("no commit is taken for lost", failed->message);
  JobStatus stored = after;
  leave_out_first_starts(stored);
  restore_first_starts(stored);
  if (stored != after) violated("a stored status is read as it was", "a member comes back that was never started");
  if (holds(after, ConditionType::restarting) && (holds(after, ConditionType::running) || !ran_.contains(spec.uid))) {
    violated("only what has run restarts", find(after, ConditionType::restarting)->message);
  }
  check_limit(spec, after);
  check_charges(spec, before, after);
  check_reported_hung(before, after);
}

void Checkers::head_claimed(const Head& claim) {
  Head& highest = claimed_[claim.uid];
  if (claim.fence < highest.fence) {
    violated("only the present fence writes HEAD",
             text_of(claim.fence) + " claims after " + text_of(highest.fence) + " has");
  }
  highest = claim;
}

void Checkers::head_committed(const Head& commit, const std::vector<Contributor>& contributors) {
  const Head& highest = claimed_[commit.uid];
  if (commit.fence != highest.fence || commit.nonce != highest.nonce) {
    violated("only the present fence writes HEAD",
             text_of(commit.fence) + " commits, claimed is " + text_of(highest.fence));
  }
  for (const Contributor& contributor : contributors) {
    if (contributor.incarnation < contributor.newest) {
      violated("superseded members do not contribute",
               control::describe(contributor.member) + " " + std::to_string(contributor.incarnation) +
                   " is in a commit, the coordinator knows " + std::to_string(contributor.newest));
    }
  }
  if (commit.done) done_.insert(commit.uid);
}

}  // namespace carrack::simulation
