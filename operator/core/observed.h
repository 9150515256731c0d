// What a cluster can show of a job: its processes, what they share, and what its coordinator tells.
// May be old: every fact carries the fence it belongs to, and reconcile() believes only what is current.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/core/job_status.h"
#include "trainer/launch/member.h"

namespace carrack::control {

enum class ProcessState { pending, running, exited };

struct ObservedProcess {
  std::string name;
  train::Member member;
  train::Fence fence;
  ProcessState state = ProcessState::pending;
  int exit_code = 0;         // of an exited one; 128 + n after signal n
  bool terminating = false;  // asked to leave; on a dead node it stays so for ever
  bool disrupted = false;    // ended by the cluster: evicted, preempted, its node gone
  bool in_service = false;   // the coordinator's Service may lead to it
  std::string message;       // why it is pending, or its last words
  bool operator==(const ObservedProcess&) const = default;
};

// How far the members have got with what has to be done with the data before the first step: finding out where its
// records are, or writing its snapshot.
struct DataWork {
  enum class Kind { indexing, snapshot };
  Kind kind = Kind::indexing;
  std::int64_t files = 0;
  std::int64_t total_files = 0;
  std::int64_t bytes = 0;
  std::int64_t total_bytes = 0;
  bool operator==(const DataWork&) const = default;
};

// Untrusted: a process of the user's image may tell anything.
struct CoordinatorReport {
  train::Fence fence;
  Progress progress;
  std::optional<LastCheckpoint> last_checkpoint;
  bool drained = false;                    // all workers have left, and all they did is committed
  std::optional<DataWork> data_work = {};  // then it knows nothing else yet
  bool operator==(const CoordinatorReport&) const = default;
};

struct Observed {
  std::vector<ObservedProcess> processes;
  bool has_service = false;
  bool has_config = false;
  std::optional<CoordinatorReport> report;
  std::string refused;  // what the cluster would not do for this job last time, and why
  bool operator==(const Observed&) const = default;
};

}  // namespace carrack::control
