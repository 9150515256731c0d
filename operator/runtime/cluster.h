// Where jobs and their processes live, as the loop sees it: Kubernetes, this machine, or a simulated world.
// What it must do is listed as behaviours in tests/contract/cluster_contract.h; each implementation passes them.
// What cannot be asked or done at all is thrown as Error; what the loop chooses on is a Reply.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "operator/core/reconcile.h"

namespace carrack::control {

// Grows with every write of a kind; comparable within that kind alone.
using Version = std::uint64_t;

enum class Kind { job, process, service, config };
constexpr std::size_t kinds = 4;
using Versions = std::array<Version, kinds>;

struct JobRecord {
  JobSpec spec;
  JobStatus status;
  Version version = 0;  // a status is written against it
};

struct Snapshot {
  std::optional<JobRecord> job;  // empty: no such job, or being deleted; what it leaves is the cluster's to remove
  Observed observed;
  Versions seen{};  // how new the view of each kind is; the kinds may lag apart
};

enum class Reading {
  cached,  // what watches have brought so far; may be old
  quorum,  // asks for this job's objects now
};

enum class Answer {
  done,
  already,     // it was so before: a repeated action
  conflict,    // the job has changed since it was read
  refused,     // will not be done; `why` says the reason
  unanswered,  // may or may not have been done
};

struct Reply {
  Answer answer = Answer::done;
  Version version = 0;  // of what was written, with `done`
  std::string why;
};

class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual Snapshot observe(const std::string& job, Reading reading) = 0;

  // Compare-and-set: `conflict` unless the job still has the version that was read.
  virtual Reply put_status(const std::string& job, Version read, const JobStatus& status) = 0;

  // May be repeated. What is created belongs to the job of that UID and goes with it.
  virtual Reply apply(const std::string& job, const JobSpec& spec, const Action& action) = 0;

  // From now on `wake` is called, from any thread, with each job that something has happened to; first with all jobs.
  virtual void watch(std::function<void(const std::string& job)> wake) = 0;
};

Kind kind_of(const Action& action);

}  // namespace carrack::control
