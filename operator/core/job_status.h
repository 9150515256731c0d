// The status of a job. It is the only state that the operator has; the cluster stores it beside the job's spec.
// There is no phase: several conditions may hold at a time, and `members` says which starts are current.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "operator/core/job.h"
#include "operator/core/validate.h"
#include "trainer/launch/member.h"

namespace carrack::control {

enum class ConditionType { created, running, restarting, stalled, suspended, succeeded, failed, finished };

struct Condition {
  ConditionType type = ConditionType::created;
  bool holds = false;
  std::string reason;  // of reasons.h
  std::string message;
  Time since{};                          // when `holds` last changed
  std::int64_t observed_generation = 0;  // that of the status when this was decided
  bool operator==(const Condition&) const = default;
};

// The starts of one member within the current attempt.
struct MemberStatus {
  int incarnation = 0;                  // number of the last start; 0 before the first
  bool ended = true;                    // that start is over for the job, even if its process still runs
  int failures = 0;                     // charged failures since the last commit
  int disruptions = 0;                  // ends without a charge in a row, each before it had run for long
  Time not_before{};                    // earliest time of the next start
  bool done = false;                    // it has ended with success, and is not started again within the attempt
  std::optional<Time> reported_hung{};  // when a start was last ended because the coordinator said that it hangs
  bool operator==(const MemberStatus&) const = default;
};

struct ReplicaStatus {
  int desired = 0;
  int pending = 0;
  int running = 0;
  int succeeded = 0;  // members that are done
  int failed = 0;  // have failed since the last commit, and wait for their next start or got none before the job ended
  bool operator==(const ReplicaStatus&) const = default;
};

// As reported by the current start of the coordinator.
struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;              // of the whole job; 0 until it is known
  std::optional<double> loss{};        // mean per record of the last update; empty if it is not finite
  std::optional<double> input_wait{};  // the share of their time in which workers wait for records; empty if not known
  bool operator==(const Progress&) const = default;
};

struct LastCheckpoint {
  std::int64_t step = 0;
  std::string name;                  // file name of its manifest in checkpoint.folder
  std::int64_t skipped_records = 0;  // uses of records that the steps up to it left out; each epoch counts
  std::string first_skipped = {};    // where the first of them is and what is wrong with it; printable
  bool operator==(const LastCheckpoint&) const = default;
};

// The model of a checkpoint on the data of spec.data.eval. Each metric is empty if the model's loss has no such one, or
// if it is not finite.
struct EvaluationStatus {
  std::int64_t step = 0;
  std::optional<double> loss{};
  std::optional<double> accuracy{};
  std::optional<double> area_under_curve{};
  std::optional<double> mean_absolute_error{};
  std::optional<double> mean_squared_error{};
  bool operator==(const EvaluationStatus&) const = default;
};

// Of those that were evaluated, the checkpoint with the lowest loss.
struct BestCheckpoint {
  std::int64_t step = 0;
  std::string name;  // file name of its manifest in checkpoint.folder
  std::optional<double> loss{};
  bool operator==(const BestCheckpoint&) const = default;
};

// How a start of a member ended last without success. It decides nothing, but replicas.failed counts its member.
struct LastFailure {
  std::string member;                 // worker-1
  std::string pod;                    // the name of its process, and of its log on this machine
  std::string node = {};              // empty if it is not known, or there are no nodes
  std::optional<int> exit_code = {};  // empty if it was not seen to exit
  std::optional<int> signal = {};     // n of exit code 128 + n
  std::string reason = {};            // a word of EndCause, start_error or hung; empty if the process ended by itself
  std::string message = {};           // its last words, or those of the cluster; printable
  Time time{};
  bool operator==(const LastFailure&) const = default;
};

struct JobStatus {
  std::int64_t observed_generation = 0;
  std::vector<Condition> conditions;  // at most one of a type, in the order of ConditionType
  int attempt = 0;                    // restarts of the whole job
  int uncharged_restarts = 0;         // of these, those after which the backoffLimit is as it was before
  std::string trainer_image = {};     // of the trainer in the attempt; empty where processes have no image
  std::string worker_selector = {};   // which pods are workers, as a label selector of Kubernetes; empty likewise
  std::map<train::Member, MemberStatus> members;
  std::map<train::Role, ReplicaStatus> replicas;
  std::optional<Time> progress_time{};  // when the last new step, or the first of a start, was reported
  std::optional<Progress> progress;     // empty until the current start of the coordinator reports
  std::optional<LastCheckpoint> last_checkpoint;
  std::optional<EvaluationStatus> evaluation{};  // the last one
  std::optional<BestCheckpoint> best_checkpoint{};
  std::optional<Time> start_time;       // when it first ran
  std::optional<Time> completion_time;  // when it finished
  std::optional<Time> drain_deadline;   // set while it is being suspended
  // Of all attempts.
  int restarts = 0;                              // after charged failures: of single members, and of the whole job
  int disruptions = 0;                           // ends without a charge, of processes that ran
  std::int64_t lost_steps = 0;                   // that were reported, and had to be computed again
  std::optional<LastFailure> last_failure = {};  // until the job succeeds
  bool operator==(const JobStatus&) const = default;
};

// What is stored of a status leaves out each member whose first start goes on and that has no failures, so that the
// status of a job with many members stays small. `replicas` tells them from members that were never started.
// Restoring gives the same status again.
void leave_out_first_starts(JobStatus& status);
void restore_first_starts(JobStatus& status);

// Both say the same of what ends have cost.
bool same_losses(const JobStatus& left, const JobStatus& right);

// The counters that no operator can have written and that could not be increased. Somebody has then edited the status.
std::vector<Problem> implausible_counts(const JobStatus& status);

// nullptr if the status has no condition of that type yet.
const Condition* find(const JobStatus& status, ConditionType type);
bool holds(const JobStatus& status, ConditionType type);
// True if the same conditions hold in both.
bool same_conditions_hold(const JobStatus& left, const JobStatus& right);
// True if they differ at most in what the coordinator reports: progress and its time, checkpoints and evaluations.
bool same_but_for_reports(const JobStatus& left, const JobStatus& right);
// The condition that best summarises the job, shown as `state` by kubectl; nullptr if none holds yet.
const Condition* headline_condition(const JobStatus& status);
inline bool is_finished(const JobStatus& status) {
  return holds(status, ConditionType::finished);
}

constexpr std::size_t message_bytes_max = 1'024;  // of a condition

// Adds or replaces the condition of that type, as of the observed generation of the status. `since` changes only if
// `holds` does. The message becomes printable, since others have written parts of it, and at most message_bytes_max
// long: of a longer one it keeps both ends.
void set_condition(JobStatus& status, const Condition& condition);

}  // namespace carrack::control
