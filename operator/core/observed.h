// What a cluster shows of a job: its processes, the objects that they share, the report of its coordinator, and its
// answers to actions.
// All of it may be stale: processes and reports carry the fence of their start, and reconcile() uses only current ones.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "operator/core/job_status.h"
#include "trainer/launch/member.h"

namespace carrack::control {

enum class ProcessState { pending, running, exited };

// What a member waits for before it runs, from what passes by itself to what somebody has to change.
enum class Wait {
  starting,            // its process, or its next start
  not_answered,        // the cluster, or a webhook that it asks first, is overloaded or does not work
  disrupted,           // its next start, after the cluster has ended many in a row
  unschedulable,       // no node has room for it, or may have it
  node_refused,        // its node does not run it
  volume_unavailable,  // a volume that it mounts
  image_unavailable,   // its image cannot be pulled
  quota_exceeded,      // its process is not created, as a quota is used up
  denied,              // its process is not created: a policy, a webhook, a missing right, or it is not valid
};

// Progress of what precedes the first step: finding where the records of the data are, writing its snapshot, computing
// its mean and deviation, or waiting for the job that has the checkpoint folder. Mean and deviation are counted in
// records, the wait in nothing, the others in files and bytes.
struct DataWork {
  enum class Kind { indexing, snapshot, statistics, take_over };
  Kind kind = Kind::indexing;
  std::int64_t files = 0;
  std::int64_t total_files = 0;
  std::int64_t bytes = 0;
  std::int64_t total_bytes = 0;
  std::int64_t records = 0;
  std::int64_t total_records = 0;
  bool operator==(const DataWork&) const = default;
};

// A member whose process is stuck, as the coordinator says.
struct ReportedHung {
  train::Member member;
  int incarnation = 0;
  std::string why;  // printable; it follows the name of the member
  bool operator==(const ReportedHung&) const = default;
};

// What a coordinator reports of its job. One that runs serves it to anyone who asks, and it is untrusted: a process may
// report anything. That is no reason to end a job, but for a checkpoint that is lost; it may restart a job that stalls
// and single members that hang (reported_hung.h), and shows what counts as a failure in a row.
struct CoordinatorReport {
  train::Fence fence;
  Progress progress;
  std::optional<LastCheckpoint> last_checkpoint;
  std::optional<DataWork> data_work = {};  // while set, only this and `fence` are known
  std::optional<EvaluationStatus> evaluation = {};
  std::optional<BestCheckpoint> best_checkpoint = {};
  std::vector<ReportedHung> hung = {};
  bool operator==(const CoordinatorReport&) const = default;
};

struct ObservedProcess {
  std::string name;
  train::Member member;
  train::Fence fence;
  ProcessState state = ProcessState::pending;
  int exit_code = 0;                    // once exited; 128 + n after signal n
  bool terminating = false;             // being deleted; a process on a dead node stays so for ever
  bool disrupted = false;               // ended by the cluster: evicted, preempted, or its node is gone
  std::optional<EndCause> cause = {};   // once exited or disrupted, why the cluster or the kernel ended it
  bool never_ran = false;               // with `exited`: a node refused it, or it was evicted before it ran
  bool init_failed = false;             // with `never_ran`: an init container of its pod failed
  bool cannot_start = false;            // with `exited`: its program is none that any start could execute
  bool holds_node = false;              // with `exited`: what its pod has besides it still runs, and would without end
  std::optional<Time> started_at = {};  // when it began to run, if that is known
  std::optional<Time> ended_at = {};    // likewise
  std::optional<Time> silent_since = {};  // since when it runs and does not answer, though it did; by its node
  bool without_key = false;               // it takes the job's UID for the key (Process::key), as a release before did
  bool in_service = false;                // the coordinator's Service may send connections to it
  Wait wait = Wait::starting;             // why it is pending
  std::string node = {};                  // where it is, or was to run; empty if it has no node
  // Of a coordinator, once exited, what it reported last; nullopt if it could not.
  std::optional<CoordinatorReport> final_report = {};
  std::string message;  // why it is pending in the words of others, how it is silent, or its log's end; printable
  bool operator==(const ObservedProcess&) const = default;
};

// Why the cluster has not done, or may not have done, an action.
enum class Refusal {
  quota,       // a quota is used up
  denied,      // by a policy, a webhook or a missing right, or because the request is not valid
  invalid,     // a check before the first start found that the process would not be valid
  not_now,     // the cluster, or a webhook that it asks first, is overloaded or does not work
  not_sent,    // an action before this one was not done, so this one was not sent
  unanswered,  // it may have been done
};

// What the cluster last said about one child of a job: a process, the Service, the configuration or the key.
struct Answer {
  Refusal refusal = Refusal::denied;
  std::string words = {};  // of the cluster; any text
  int in_a_row = 1;        // how often it has refused in a row
  Time at{};               // of the last refusal, not earlier than it was
  bool operator==(const Answer&) const = default;
};

// By the child's name. There is none of a child for which the last action was done.
using Answers = std::map<std::string, Answer>;

struct Observed {
  std::vector<ObservedProcess> processes;
  bool has_service = false;
  bool has_config = false;
  bool has_key = false;  // this operator has created the key, or found it created; no operator can see it otherwise
  std::optional<CoordinatorReport> report;
  bool report_unreachable = false;   // the leader runs, and for a while nobody could read its report
  std::string trainer_image = {};    // for the next attempt; empty where processes have no image
  std::string worker_selector = {};  // of the job's pods of workers; empty where processes have no labels
  Answers answers = {};              // to this operator; another one, and this one once started again, has none
  bool operator==(const Observed&) const = default;
};

}  // namespace carrack::control
