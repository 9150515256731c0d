// What may be changed of a job while it runs: how long it may take, what follows from failures, and what is kept of it.
// This is spec.run; docs/reference/trainingjob.md says what each field does.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "trainer/launch/member.h"
#include "trainer/launch/spellings.h"

namespace carrack::control {

using std::chrono::seconds;

// Why the cluster ended a process, or its kernel did.
enum class EndCause { evicted, preempted, out_of_memory, node_lost };

}  // namespace carrack::control

namespace carrack::train {

template <>
inline constexpr Spelling<control::EndCause> spellings<control::EndCause>[] = {
    {control::EndCause::evicted, "Evicted"},
    {control::EndCause::preempted, "Preempted"},
    {control::EndCause::out_of_memory, "OOMKilled"},
    {control::EndCause::node_lost, "NodeLost"}};

}  // namespace carrack::train

namespace carrack::control {

enum class FailureAction {
  restart_member,  // charged to the member
  restart_job,     // all members, in the next attempt
  ignore,          // the member starts again, without a charge
  fail,            // the job
};

// Of a process that has ended without success. An empty list fits every end, but not all of `exit_codes` and `causes`
// are empty.
struct FailureRule {
  std::vector<int> exit_codes = {};
  std::vector<EndCause> causes = {};
  std::vector<train::Role> roles = {};
  FailureAction action = FailureAction::restart_member;
  bool operator==(const FailureRule&) const = default;
};

// Which pods that have exited stay once the job has ended.
enum class KeepPods { all, failed, none };

struct RunPolicy {
  bool suspend = false;
  int backoff_limit = 6;                      // restarts of the whole job before it fails
  seconds drain{60};                          // how long draining may take, and how long a process may take to end
  std::optional<seconds> start_deadline;      // until it runs for the first time
  std::optional<seconds> active_deadline;     // from its creation, or from when it was last resumed
  std::optional<seconds> progress_deadline;   // from step to step, while it trains
  std::optional<seconds> ttl_after_finished;  // until the job is deleted
  KeepPods keep_pods = KeepPods::all;
  std::vector<FailureRule> failure_rules;  // the first that fits decides
  bool operator==(const RunPolicy&) const = default;
};

}  // namespace carrack::control
