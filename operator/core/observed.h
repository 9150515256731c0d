// What the operator sees of a job besides its spec and status, as input of reconcile(): its processes (pods), the
// objects that they share, the report of its coordinator, and the cluster's refusals of actions. A Cluster
// (operator/runtime/cluster.h) fills it in; the loop adds the refusals and has_key, and dates silent_since.
// All of it may be stale: processes and reports carry the fence of their start (attempt and incarnation, which tell it
// from earlier starts of the member), and reconcile() uses only current ones.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "operator/core/job_status.h"
#include "trainer/launch/member.h"

namespace carrack::control {

enum class ProcessState { pending, running, exited };

// Why a member does not run yet. The order matters: from what passes without help to what somebody has to change.
enum class Wait {
  starting,            // its process starts, or its next start is not due yet
  not_answered,        // the cluster or one of its webhooks is overloaded or broken
  disrupted,           // its next start is not due yet, after many disruptions in a row
  unschedulable,       // no node has room for it, or none may run it
  node_refused,        // its node cannot run it
  volume_unavailable,  // a volume that it mounts is missing, or not where the nodes are
  image_unavailable,   // its image cannot be pulled
  quota_exceeded,      // its process was not created, as a quota is used up
  denied,              // a policy, a webhook or a missing right prevents its process, or it is invalid
};

// Progress of work before the first step: finding the records in the data files, writing the snapshot, computing mean
// and deviation, or waiting for the job that owns the checkpoint folder. The numbers say what is done, and the totals
// how much there is. `statistics` sets only those of records, `take_over` none, the others only those of files and
// bytes.
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

// A member whose process hangs, according to the coordinator.
struct ReportedHung {
  train::Member member;
  int incarnation = 0;
  std::string why;  // a clause for a message after "hung: "; printable
  bool operator==(const ReportedHung&) const = default;
};

// What the leader (the coordinator, or worker 0 if there is none) reports of its job. It is read over HTTP from the
// process, or decoded from what the process left at its exit. A process may report anything, so a report is untrusted
// and its effects are limited. It fails the job if it shows that a commit is lost. If it has no new step for
// progressDeadlineSeconds, the whole job restarts, or fails if backoffLimit is used up. It can cause restarts of single
// members that hang (reported_hung.h), and each new commit resets the counts of failures.
struct CoordinatorReport {
  train::Fence fence;
  Progress progress;
  std::optional<LastCheckpoint> last_checkpoint;
  std::optional<DataWork> data_work = {};  // while set, all other fields except `fence` have no meaning
  std::optional<EvaluationStatus> evaluation = {};
  std::optional<BestCheckpoint> best_checkpoint = {};
  std::vector<ReportedHung> hung = {};
  bool operator==(const CoordinatorReport&) const = default;
};

// One process of a job: on Kubernetes a pod, under `carrack run` a child process.
struct ObservedProcess {
  std::string name;  // process_name() (plan.h)
  train::Member member;
  train::Fence fence;
  ProcessState state = ProcessState::pending;
  int exit_code = 0;                      // with `exited`; 128 + n after signal n
  bool terminating = false;               // being deleted; a process on a dead node may stay so for ever
  bool disrupted = false;                 // the cluster ends or ended it: evicted, preempted, or its node is gone
  std::optional<EndCause> cause = {};     // why the cluster or the kernel ended it, if one did
  bool never_ran = false;                 // with `exited`: a node refused it, or it was evicted before it ran
  bool init_failed = false;               // with `never_ran`: an init container of its pod failed
  bool cannot_start = false;              // with `exited`: its program could not be executed
  bool holds_node = false;                // with `exited`: another container keeps its pod alive, perhaps for ever
  std::optional<Time> started_at = {};    // nullopt if unknown
  std::optional<Time> ended_at = {};      // nullopt if unknown
  std::optional<Time> silent_since = {};  // since when the loop has seen it silent; nullopt if it answers or never did
  bool without_key = false;               // an old release started it, with the job's UID as key (Process::key)
  bool in_service = false;                // the job's Service may send connections to it
  Wait wait = Wait::starting;             // with `pending`: why
  std::string node = {};                  // where it runs or was to run; empty if it has no node
  // The leader's last report, which it left when it exited; nullopt if it left none, and for other members.
  std::optional<CoordinatorReport> final_report = {};
  std::string message;  // why it is pending or silent, or its last log lines; printable
  bool operator==(const ObservedProcess&) const = default;
};

// Why the cluster has not done an action, or may not have done it.
enum class Refusal {
  quota,       // a quota is used up
  denied,      // by a policy, a webhook or a missing right, or because the request is not valid
  invalid,     // a check before the first start found that the process would not be valid
  not_now,     // the cluster or one of its webhooks is overloaded or broken
  not_sent,    // an earlier action of the same decision was not done, so this one was not sent
  unanswered,  // the action may or may not have been done
};

// The cluster's last refusal about one child of a job, an object that the operator creates: a process, the Service, the
// configuration or the key. Also about the job itself, which the operator deletes at the end of its time to live.
struct LastRefusal {
  Refusal refusal = Refusal::denied;
  std::string words = {};  // the cluster's explanation; any text, so make it printable() before it is shown
  int in_a_row = 1;        // number of `quota` and `denied` refusals since the action was last done
  Time at{};               // time of the last refusal, rounded up to a whole second; not set with `not_sent`
  bool operator==(const LastRefusal&) const = default;
};

// By the name of the child. A child whose last action was done has no entry.
using LastRefusals = std::map<std::string, LastRefusal>;

// Everything that the operator knows of a job besides its spec and status.
struct Observed {
  std::vector<ObservedProcess> processes;
  bool has_service = false;
  bool has_config = false;
  bool has_key = false;  // this operator has created the key or found that it exists; it cannot see keys otherwise
  std::optional<CoordinatorReport> report;  // the last one that was read; nullopt if there is none
  seconds report_age{0};                    // how long ago the report was read
  bool report_unreachable = false;          // the leader runs, and its report could not be read for a while
  std::string trainer_image = {};           // for the next attempt; empty where processes have no image
  std::string worker_selector = {};         // label selector of the job's worker pods; empty without pods
  LastRefusals answers = {};                // those that this operator process got; an operator starts with none
  bool operator==(const Observed&) const = default;
};

}  // namespace carrack::control
