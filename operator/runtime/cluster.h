// Where jobs and their processes live, as the loop sees it: Kubernetes, this machine, or a simulation.
// tests/contract/cluster_contract.h states how every implementation behaves, and each passes it.
// A failed read throws Error. The outcome of a write, also of a failed one, is a Reply.
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

// Grows with every write of an object of a kind. Comparable only within that kind.
using Version = std::uint64_t;

enum class Kind { job, process, service, config };  // config stays the last, for `kinds`
constexpr std::size_t kinds = static_cast<std::size_t>(Kind::config) + 1;
using Versions = std::array<Version, kinds>;

struct JobRecord {
  JobSpec spec;
  JobStatus status;
  Version version = 0;  // put_status() takes it, to notice concurrent writes
  // One line for each field of the spec that this release does not know and that decides what is trained. If it is not
  // empty, only a newer release may decide on the job.
  std::string unknown_in_spec = {};
};

struct Snapshot {
  std::optional<JobRecord> job;  // nullopt: it does not exist, or is being deleted together with its objects
  Observed observed;
  Versions seen{};  // how new the view of each kind is; each kind may lag on its own
};

enum class Reading {
  cached,  // as the watches have delivered it so far; may be stale
  quorum,  // read from the cluster now, only this job's objects
};

enum class WriteResult {
  done,
  already,     // the action was done before, so nothing was written
  conflict,    // the job has changed since it was read
  refused,     // surely not done: the cluster does not allow it; `error` says why
  not_now,     // surely not done: the cluster is overloaded or broken; `error` says how
  unanswered,  // may or may not have been done
};

struct Reply {
  WriteResult result = WriteResult::done;
  Version version = 0;      // with `done`: of the written object; 0 if unknown
  std::string error = {};   // empty with `done` and `already`
  bool over_quota = false;  // with `refused`: a quota is used up
  bool is_invalid = false;  // with `refused`, to a CheckProcess: the process would not be valid
};

// `job` is the key of a job, such as NAMESPACE/NAME on Kubernetes. Calls about the same job come one after the other.
// Calls about different jobs may come at the same time, from several threads.
class Cluster {
 public:
  virtual ~Cluster() = default;

  // Throws Error if the job cannot be read.
  virtual Snapshot observe(const std::string& job, Reading reading) = 0;

  // Writes the status by compare-and-set: `conflict` if the job has another version than `read`. For a deleted job the
  // result is anything but `done`.
  virtual Reply put_status(const std::string& job, Version read, const JobStatus& status) = 0;

  // Carries out one action; may be repeated. `refused` if somebody else has created an object under the child's name. A
  // CheckProcess gives `refused` or `already`. A created object belongs to the job with the UID of `spec` and is
  // deleted with it. Never gives `conflict`.
  virtual Reply apply(const std::string& job, const JobSpec& spec, const Action& action) = 0;

  // Applies actions that do not depend on each other, perhaps in parallel. All are sent, even if some fail. The replies
  // are in the order of the actions.
  virtual std::vector<Reply> apply_all(const std::string& job, const JobSpec& spec, std::span<const Action> actions);

  // Sets the callback for events. It is called for every job at first, then for each job to which something has
  // happened, from any thread. Replaces an earlier callback.
  virtual void watch(std::function<void(const std::string& job)> wake) = 0;
};

// The kind of object that an action writes; nullopt if Snapshot::seen has no version for it (CreateKey).
std::optional<Kind> kind_of(const Action& action);
// The name of the object that an action is about. Refers into `action`.
const std::string& child_of(const Action& action);

}  // namespace carrack::control
