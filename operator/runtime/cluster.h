// Where jobs and their processes live, as the loop sees it: Kubernetes, this machine, or a simulation.
// tests/contract/cluster_contract.h states how every implementation behaves, and each passes it.
// A failed read throws Error. The outcome of a write is a Reply.
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

// Grows with every write of a kind. Comparable only within that kind.
using Version = std::uint64_t;

enum class Kind { job, process, service, config };  // config stays the last
constexpr std::size_t kinds = static_cast<std::size_t>(Kind::config) + 1;
using Versions = std::array<Version, kinds>;

struct JobRecord {
  JobSpec spec;
  JobStatus status;
  Version version = 0;  // a status is written against it
  // What in the spec is not known to this release, as one line for each field; empty if everything that decides what is
  // trained is known. Else only a newer release may decide on the job.
  std::string unknown_in_spec = {};
};

struct Snapshot {
  std::optional<JobRecord> job;  // empty: no such job, or it is being deleted and the cluster removes its objects
  Observed observed;
  Versions seen{};  // how new the view of each kind is; the kinds may lag independently
};

enum class Reading {
  cached,  // what watches have delivered so far; may be stale
  quorum,  // reads this job's objects from the cluster now
};

enum class WriteResult {
  done,
  already,     // nothing to do: the action was done before
  conflict,    // the job has changed since it was read
  refused,     // surely not done: the cluster does not allow it; `error` says why
  not_now,     // surely not done: the cluster is overloaded or broken; `error` says how
  unanswered,  // may or may not have been done
};

struct Reply {
  WriteResult result = WriteResult::done;
  Version version = 0;      // of the written object, with `done`; 0 if unknown
  std::string error = {};   // empty with `done` and `already`
  bool over_quota = false;  // with `refused`: because a quota is used up
  bool is_invalid = false;  // with `refused`, of a CheckProcess: because the process would not be valid
};

// The calls for a job are made one after the other, those for different jobs perhaps at the same time. Implementations
// deliver events from threads of their own.
class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual Snapshot observe(const std::string& job, Reading reading) = 0;

  // Compare-and-set: `conflict` if the job has another version than `read`. For a deleted job the result is any but
  // `done`.
  virtual Reply put_status(const std::string& job, Version read, const JobStatus& status) = 0;

  // May be repeated. An object that somebody else has created under the child's name is a refusal. A CheckProcess gives
  // `refused` or `already`. A created object belongs to the job with that UID and is deleted with it. Never gives
  // `conflict`.
  virtual Reply apply(const std::string& job, const JobSpec& spec, const Action& action) = 0;

  // Applies actions that do not depend on each other, perhaps in parallel; a failed one keeps no other from being sent.
  // The replies are in the order of the actions.
  virtual std::vector<Reply> apply_all(const std::string& job, const JobSpec& spec, std::span<const Action> actions);

  // Sets the callback for events: called for every job at first, then for each job to which something has happened,
  // from any thread. Replaces an earlier callback.
  virtual void watch(std::function<void(const std::string& job)> wake) = 0;
};

// The kind of object that an action writes, if such objects are observed, and its name.
std::optional<Kind> kind_of(const Action& action);
const std::string& child_of(const Action& action);

}  // namespace carrack::control
