// Cluster is the interface through which Loop (loop.h) reads jobs and carries out actions, such as the start of a
// process. It has three implementations: KubeCluster (operator/kube/), LocalCluster (operator/local/) for `carrack
// run`, and a simulation for tests. tests/contract/cluster_contract.h tests what all of them have to do. A failed read
// throws Error. The outcome of a write, even of a failed one, is returned as a Reply; only LocalCluster::put_status()
// may throw Error.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "operator/core/reconcile.h"

namespace carrack::control {

// The version of an object, or of the list of all objects of a kind: the resourceVersion on Kubernetes. It grows with
// every write of an object of that kind. Only versions of the same kind can be compared.
using Version = std::uint64_t;

// On Kubernetes: TrainingJob, Pod, Service and ConfigMap.
enum class Kind { job, process, service, config };                         // config stays the last, for `kinds`
constexpr std::size_t kinds = static_cast<std::size_t>(Kind::config) + 1;  // the number of kinds
using Versions = std::array<Version, kinds>;                               // by kind

struct JobRecord {
  JobSpec spec;
  JobStatus status;
  Version version = 0;  // to be passed to put_status(), which notices concurrent writes by it
  // One line for each problem of a spec that this release cannot decode. If it is not empty, only a newer release may
  // decide on the job.
  std::string unknown_in_spec = {};
};

// What the cluster shows of one job at one moment: a copy.
struct Snapshot {
  std::optional<JobRecord> job;  // nullopt: it does not exist, or is being deleted together with its objects
  Observed observed;
  Versions seen{};  // for each kind, the version up to which `job` and `observed` show it
};

enum class Reading {
  cached,  // what the watches have delivered so far; may be stale
  quorum,  // a new read of this job's objects from the cluster; not stale
};

enum class WriteResult {
  done,
  already,     // the action was done before, so nothing was written
  conflict,    // the job has changed since it was read
  refused,     // certainly not done: the cluster does not allow it
  not_now,     // certainly not done: the cluster is overloaded or broken
  unanswered,  // may or may not have been done
};

struct Reply {
  WriteResult result = WriteResult::done;
  Version version = 0;      // with `done`: the version of the written object; 0 if unknown
  std::string error = {};   // why it is not done, from the cluster; empty with `done` and `already`
  bool over_quota = false;  // with `refused`: because a quota is used up
  bool is_invalid = false;  // with `refused`, to a CheckProcess: the process would not be valid
};

// `job` is the key of a job, such as NAMESPACE/NAME on Kubernetes. Callers make calls about the same job one after the
// other. Calls about different jobs may come at the same time, from several threads.
class Cluster {
 public:
  virtual ~Cluster() = default;

  // Returns what the cluster shows of the job. If there is no such job, Snapshot::job is nullopt. Throws Error if the
  // job cannot be read.
  virtual Snapshot observe(const std::string& job, Reading reading) = 0;

  // Writes the status by compare-and-set: `conflict` if the job has another version than `read`, which is
  // JobRecord::version. For a deleted job the result is anything but `done`.
  virtual Reply put_status(const std::string& job, Version read, const JobStatus& status) = 0;

  // Carries out one action; repeating it does no harm. Returns `refused` if an object of that name exists and does not
  // belong to the job; for a key, whose owner is not checked, `already`. For a CheckProcess it returns `refused` or
  // `already`. Never returns `conflict`. A created object belongs to the job with the UID of `spec` and is deleted with
  // it.
  virtual Reply apply(const std::string& job, const JobSpec& spec, const Action& action) = 0;

  // Applies actions that do not depend on each other, perhaps at the same time. All are sent, even if some fail.
  // Returns a reply for each action, in their order.
  virtual std::vector<Reply> apply_all(const std::string& job, const JobSpec& spec, std::span<const Action> actions);

  // Sets the callback for changes, in place of an earlier one, which is not called any more once watch() has returned.
  // Does not block: watch() calls `wake` for every job, and returns. After that `wake` is called, from any thread, with
  // each job to which something has happened. It must not be empty, and must not call the cluster, which may have
  // locked a mutex.
  virtual void watch(std::function<void(const std::string& job)> wake) = 0;
};

// Returns the kind of object that an action writes; nullopt if Snapshot::seen has no version for it (CreateKey).
std::optional<Kind> kind_of(const Action& action);
// Returns the name of the object that an action creates, deletes or changes, as a reference into `action`.
const std::string& child_of(const Action& action);

}  // namespace carrack::control
