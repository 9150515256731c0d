// What the operator knows of a job and may rely on: the only state it has, kept by the cluster beside the job.
// There is no phase: conditions are facts that hold side by side, and `members` says which starts are current.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "operator/core/job.h"
#include "trainer/launch/member.h"

namespace carrack::control {

enum class ConditionType { created, running, restarting, suspended, succeeded, failed, finished };

struct Condition {
  ConditionType type = ConditionType::created;
  bool holds = false;
  std::string reason;  // one word for programs
  std::string message;
  Time since{};  // when `holds` last changed
  bool operator==(const Condition&) const = default;
};

// The starts of one member within the present attempt.
struct MemberStatus {
  int incarnation = 0;  // the last start; 0 before the first
  bool ended = true;    // that start is over for the job, whatever its process still does
  int failures = 0;     // charged ends since the last commit
  Time not_before{};    // when the next start may be
  bool operator==(const MemberStatus&) const = default;
};

struct ReplicaStatus {
  int desired = 0;
  int pending = 0;
  int running = 0;
  bool operator==(const ReplicaStatus&) const = default;
};

// As the present start of the coordinator tells it.
struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;        // of the whole job; 0 where not known yet
  std::optional<double> loss{};  // of the last update, for each record; empty where it is not finite
  bool operator==(const Progress&) const = default;
};

struct LastCheckpoint {
  std::int64_t step = 0;
  std::string name;  // of its manifest, within checkpoint.folder
  bool operator==(const LastCheckpoint&) const = default;
};

struct JobStatus {
  std::int64_t observed_generation = 0;
  std::vector<Condition> conditions;  // at most one of a type, in the order of ConditionType
  int attempt = 0;                    // restarts of the whole job
  std::map<train::Member, MemberStatus> members;
  std::map<train::Role, ReplicaStatus> replicas;
  std::optional<Progress> progress;  // empty until the present start of the coordinator tells it
  std::optional<LastCheckpoint> last_checkpoint;
  std::optional<Time> start_time;       // when it first ran
  std::optional<Time> completion_time;  // when it finished
  std::optional<Time> drain_deadline;   // set while it is being suspended
  bool operator==(const JobStatus&) const = default;
};

// nullptr where the status has none of that type yet.
const Condition* find(const JobStatus& status, ConditionType type);
bool holds(const JobStatus& status, ConditionType type);
// The condition that tells most of where the job is; nullptr before the first.
const Condition* telling(const JobStatus& status);
inline bool is_finished(const JobStatus& status) {
  return holds(status, ConditionType::finished);
}

// Keeps `since` where the condition held already, or already did not.
void set_condition(JobStatus& status, const Condition& condition);

}  // namespace carrack::control
