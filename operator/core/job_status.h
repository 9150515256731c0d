// JobStatus: `status` of a TrainingJob as plain data. It is the only state that survives the operator: the API server
// stores it (`carrack run`: a file), and reconcile() computes the next one. There is no phase: several conditions may
// hold at a time, and `members` says which starts are current. A member is a role and an index, such as worker-2. A
// start is one process of a member, identified by its attempt (number of restarts of the whole job) and its incarnation
// (number of starts of the member in that attempt).
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

// As a Kubernetes condition (metav1.Condition).
struct Condition {
  ConditionType type = ConditionType::created;
  bool holds = false;
  std::string reason;  // one of reasons.h
  std::string message;
  Time since{};                          // when `holds` last changed
  std::int64_t observed_generation = 0;  // generation of the spec for which this was decided
  bool operator==(const Condition&) const = default;
};

// The starts of one member within the current attempt. The end of a start is charged if it counts as a failure of the
// member; ends that the cluster caused are not.
struct MemberStatus {
  int incarnation = 0;  // number of the last start, from 1; 0 before the first
  bool ended = true;    // the job does not count on that start any more; its process may still run
  // Number of charged failures since the last commit or, with strategy Own, since the end of the last start that ran
  // for steady_after (restart.h).
  int failures = 0;
  int disruptions = 0;  // number of uncharged ends in a row; only the first may be of a start of at least steady_after
  Time not_before{};    // earliest time of the next start
  bool done = false;    // has ended with success, and is not started again in this attempt
  std::optional<Time> reported_hung{};  // when a start last ended because the coordinator reported it as hung
  bool operator==(const MemberStatus&) const = default;
};

// The number of members of a role that are wanted now (`desired`), and how many of these are in each state.
struct ReplicaStatus {
  int desired = 0;
  int pending = 0;    // all that are in no other state
  int running = 0;    // members whose current process runs
  int succeeded = 0;  // members that are done
  int failed = 0;     // members for which has_failed() is true (waits.h)
  bool operator==(const ReplicaStatus&) const = default;
};

// The progress of the job, as the current start of the leader reports it.
struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;              // total number of steps of the job; 0 until known
  std::optional<double> loss{};        // mean per record in the last update; nullopt if not finite
  std::optional<double> input_wait{};  // fraction of their time in which workers wait for records; nullopt: not known
  bool operator==(const Progress&) const = default;
};

struct LastCheckpoint {
  std::int64_t step = 0;
  std::string name;                  // file name of its manifest in checkpoint.folder
  std::int64_t skipped_records = 0;  // number of records left out up to this step; a record counts in each epoch
  std::string first_skipped = {};    // says which record was left out first, and what is wrong with it; printable
  bool operator==(const LastCheckpoint&) const = default;
};

// The last evaluation of a checkpoint on the data of spec.data.eval. A metric is nullopt if the model's loss does not
// have it, or if it is not finite.
struct EvaluationStatus {
  std::int64_t step = 0;
  std::optional<double> loss{};
  std::optional<double> accuracy{};
  std::optional<double> area_under_curve{};
  std::optional<double> mean_absolute_error{};
  std::optional<double> mean_squared_error{};
  bool operator==(const EvaluationStatus&) const = default;
};

// The checkpoint that had the lowest loss in evaluation.
struct BestCheckpoint {
  std::int64_t step = 0;
  std::string name;              // file name of its manifest in checkpoint.folder
  std::optional<double> loss{};  // nullopt if the report lacks it
  bool operator==(const BestCheckpoint&) const = default;
};

// The last end of a start by failure or disruption. It informs users and decides nothing, except that
// ReplicaStatus::failed counts the member if its end has failed the job.
struct LastFailure {
  std::string member;                 // such as worker-1
  std::string pod;                    // name of its process, and of its log under `carrack run`
  std::string node = {};              // empty if unknown, or if there are no nodes
  std::optional<int> exit_code = {};  // nullopt if it was not seen to exit, or never ran
  std::optional<int> signal = {};     // set if a signal ended it: exit_code - 128
  std::string reason = {};            // spelling of EndCause, or start_error or hung (last_failure.h); else empty
  std::string message = {};           // its last log lines or the cluster's explanation; printable
  Time time{};                        // when the process ended or, if that is unknown, when its end was noticed
  bool operator==(const LastFailure&) const = default;
};

struct JobStatus {
  std::int64_t observed_generation = 0;
  std::vector<Condition> conditions;  // at most one of a type, in the order of ConditionType
  int attempt = 0;                    // number of restarts of the whole job
  int uncharged_restarts = 0;         // how many of these restarts do not count against backoffLimit
  std::string trainer_image = {};     // of this attempt; empty where processes have no image
  std::string worker_selector = {};   // label selector of the worker pods; empty where there are no pods
  std::map<train::Member, MemberStatus> members;
  std::map<train::Role, ReplicaStatus> replicas;
  std::optional<Time> progress_time{};  // when the reported step last changed, or a start of the leader first reported
  std::optional<Progress> progress;     // nullopt until the current start of the leader reports
  std::optional<LastCheckpoint> last_checkpoint;
  std::optional<EvaluationStatus> evaluation{};  // the last one reported
  std::optional<BestCheckpoint> best_checkpoint{};
  std::optional<Time> start_time;       // when Running first held
  std::optional<Time> completion_time;  // when it finished
  std::optional<Time> drain_deadline;   // set while it drains
  // Totals of all attempts.
  int restarts = 0;                              // number of charged restarts of single members and of the whole job
  int disruptions = 0;                           // number of uncharged ends of processes that ran, without drained ones
  std::int64_t lost_steps = 0;                   // number of steps that were reported and had to be computed again
  std::optional<LastFailure> last_failure = {};  // cleared when the job succeeds
  bool operator==(const JobStatus&) const = default;
};

// The codec calls these, so that the stored status of a job with many members stays small. Before storing,
// leave_out_first_starts() removes from `members` each member that `replicas` counts, that is in its first start of the
// attempt, and that has had no failure. After reading, restore_first_starts() adds such a start for each member that
// `replicas` counts and `members` lacks.
void leave_out_first_starts(JobStatus& status);
void restore_first_starts(JobStatus& status);

// Returns true if both have the same totals of restarts, disruptions and lost steps, and the same last failure.
// The loop writes a status without delay if it is not so.
bool same_failure_totals(const JobStatus& left, const JobStatus& right);

// Returns a problem for each counter of restarts, starts or failures that is negative or above 1e9, and one if
// uncharged_restarts exceeds `attempt`; empty for a status that an operator has written. Other numbers mean that
// somebody has edited the status.
std::vector<Problem> implausible_counts(const JobStatus& status);

// Returns the condition of this type; nullptr if the status has none yet. Points into `status`.
const Condition* find(const JobStatus& status, ConditionType type);
// Returns true if the status has the condition of this type and it is True.
bool holds(const JobStatus& status, ConditionType type);
// Returns true if the same conditions hold in both, whatever their reasons and messages.
bool same_conditions_hold(const JobStatus& left, const JobStatus& right);
// Returns true if they differ at most in what the leader reports: progress and its time, checkpoints and evaluations.
bool same_but_for_reports(const JobStatus& left, const JobStatus& right);
// Returns the condition that summarises the job, which kubectl shows as `state`: of those that hold, without Finished,
// the last one in the order of ConditionType, such as Failed. nullptr if none holds. Points into `status`.
const Condition* headline_condition(const JobStatus& status);
inline bool is_finished(const JobStatus& status) {
  return holds(status, ConditionType::finished);
}

constexpr std::size_t message_bytes_max = 1'024;  // maximum size of Condition::message

// Adds the condition, or replaces that of the same type. If `holds` does not change, the old `since` stays. The
// observed generation becomes that of the status. The message is made printable, since parts of it come from other
// programs, and a message longer than message_bytes_max loses its middle.
void set_condition(JobStatus& status, const Condition& condition);

}  // namespace carrack::control
