// RunPolicy is the decoded field spec.run of a TrainingJob, which users may change while the job runs: how long the job
// may take, what follows from failures, and which of its pods stay. docs/reference/trainingjob.md says what each field
// does. "Charged" means that an end counts as a failure.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "trainer/launch/member.h"
#include "trainer/launch/spellings.h"

namespace carrack::control {

using std::chrono::seconds;

// Why the cluster or the kernel of a node ended a process. Manifests and statuses have the texts below.
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
  restart_member,  // the member starts again, charged
  restart_job,     // all members start again, in the next attempt
  ignore,          // the member starts again, not charged
  fail,            // the job fails
};

// An entry of spec.run.failureRules: says what follows when a process ends without success. It applies if each of the
// three lists is empty or contains the value of that end. A rule with exit code 3 and role worker applies to each
// worker that exits with 3. A valid rule has exit codes or causes.
struct FailureRule {
  std::vector<int> exit_codes = {};
  std::vector<EndCause> causes = {};
  std::vector<train::Role> roles = {};
  FailureAction action = FailureAction::restart_member;
  bool operator==(const FailureRule&) const = default;
};

// Which of the exited pods, and their logs, stay once the job has finished. `failed`: those with another exit code than
// 0.
enum class KeepPods { all, failed, none };

// A deadline of nullopt is no deadline.
struct RunPolicy {
  bool suspend = false;                       // true: the job drains and stops, until this is false again
  int backoff_limit = 6;                      // maximum number of charged restarts of the whole job
  seconds drain{60};                          // maximum time for draining, and for the end of a process
  std::optional<seconds> start_deadline;      // from creation or last resume until it runs for the first time
  std::optional<seconds> active_deadline;     // from creation or last resume until it has finished
  std::optional<seconds> progress_deadline;   // from step to step while it trains
  std::optional<seconds> ttl_after_finished;  // from its end until the job is deleted; nullopt: it stays
  KeepPods keep_pods = KeepPods::all;
  std::vector<FailureRule> failure_rules;  // in the order of the manifest; the first that applies decides
  bool operator==(const RunPolicy&) const = default;
};

}  // namespace carrack::control
