// What a cluster shows of a job: its processes, the objects that they share, and the report of its coordinator.
// All of it may be stale: processes and reports carry the fence of their start, and reconcile() uses only current ones.
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
  int exit_code = 0;         // once exited; 128 + n after signal n
  bool terminating = false;  // being deleted; a process on a dead node stays so for ever
  bool disrupted = false;    // ended by the cluster: evicted, preempted, or its node is gone
  bool in_service = false;   // the coordinator's Service may send connections to it
  std::string message;       // why it is pending, or the end of its log; printable (error.h)
  bool operator==(const ObservedProcess&) const = default;
};

// Progress of the work on the data that precedes the first step: finding where its records are, writing its snapshot,
// or computing its mean and deviation. The last is counted in records, the others in files and bytes.
struct DataWork {
  enum class Kind { indexing, snapshot, statistics };
  Kind kind = Kind::indexing;
  std::int64_t files = 0;
  std::int64_t total_files = 0;
  std::int64_t bytes = 0;
  std::int64_t total_bytes = 0;
  std::int64_t records = 0;
  std::int64_t total_records = 0;
  bool operator==(const DataWork&) const = default;
};

// Untrusted: a process may report anything.
struct CoordinatorReport {
  train::Fence fence;
  Progress progress;
  std::optional<LastCheckpoint> last_checkpoint;
  bool drained = false;                    // all workers have left and their work is committed
  std::optional<DataWork> data_work = {};  // while set, only this and `fence` are known
  std::optional<EvaluationStatus> evaluation = {};
  std::optional<BestCheckpoint> best_checkpoint = {};
  bool operator==(const CoordinatorReport&) const = default;
};

struct Observed {
  std::vector<ObservedProcess> processes;
  bool has_service = false;
  bool has_config = false;
  std::optional<CoordinatorReport> report;
  std::string refusal;  // why the cluster refused the last action for this job; empty if it refused none
  bool operator==(const Observed&) const = default;
};

}  // namespace carrack::control
