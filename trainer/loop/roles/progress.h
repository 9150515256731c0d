// The job's progress (steps, loss, last checkpoint) as JSON. The coordinator serves it by HTTP at /progress, from where
// the operator and `carrack run` read it for the job's status. docs/formats/progress.md specifies the fields. Readers
// do not trust the JSON: they check every field.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dataloader/http/page_server.h"
#include "dataloader/indexes/build_progress.h"
#include "dataloader/mutex.h"
#include "trainer/comm/protocol/hung.h"
#include "trainer/comm/protocol/skipped.h"
#include "trainer/comm/protocol/staleness.h"
#include "trainer/launch/member.h"
#include "trainer/loop/data/statistics.h"

namespace carrack::train {

// The process that reports: the coordinator of this job with this fence (attempt and incarnation).
struct Reporter {
  std::string job_uid;
  Fence fence;
  bool operator==(const Reporter&) const = default;
};

// The last evaluation of a checkpoint on spec.data.eval, and the best checkpoint of all that were evaluated.
struct EvaluationReport {
  std::uint64_t step = 0;  // step of the checkpoint that was evaluated last
  // Names and values, as named() (evaluation/metrics.h) returns them.
  std::vector<std::pair<std::string, double>> metrics = {};
  std::uint64_t best_step = 0;
  std::string best_manifest = {};  // empty: no checkpoint is the best one yet
  double best_loss = 0;
};

struct ProgressReport {
  Reporter reporter;
  std::uint64_t batches_done = 0;              // number of steps of all epochs that are done
  std::optional<std::uint64_t> batches_total;  // nullopt: not known yet; the JSON then has 0
  double loss = 0;                             // mean over the records of the last batch; finite; 0 before the first
  std::uint64_t committed_step = 0;            // step of this job's last commit; 0 before the first
  std::string manifest;                        // manifest of this commit; empty before the first
  Skipped skipped = {};                        // records left out in the steps up to this commit
  std::optional<double> input_wait = {};       // the share of time in which workers wait for records, from 0 to 1
  Staleness staleness = {};                    // by worker; empty in Sync
  std::shared_ptr<const EvaluationReport> evaluation = {};  // null before the first evaluation; compared by pointer
  std::vector<Hung> hung = {};                              // the members that the operator should replace
  bool operator==(const ProgressReport&) const = default;
};

// The functions below return complete JSON documents, one for each phase of a job.

// The progress while the job trains.
std::string to_json(const ProgressReport& report);
// The last progress of a coordinator, which it leaves with the reason of its end. Kubernetes passes on only the last 4
// KiB of both. So this leaves out the staleness and the members that hang, which may take more than that, and which no
// reader needs at the end.
std::string to_json_at_end(ProgressReport report);

// The progress of work on the data before training: building indexes, or writing the files of the manifest's snapshot.
// The JSON has nothing about steps or checkpoints, because the coordinator does not know the last commit yet.
enum class DataWork { indexing, snapshot };
std::string to_json(const Reporter& reporter, DataWork work, const data::IndexingProgress& built);
// The JSON while this job waits to take over the checkpoint folder of another job.
std::string to_json_of_take_over(const Reporter& reporter);
// The progress while mean and deviation of the data are computed (loop/data/statistics.h).
std::string to_json(const Reporter& reporter, const RecordsRead& read);

// Serves /progress on a separate thread until it is destroyed. Before the first show() the body is empty. show() is
// thread-safe.
class ProgressServer {
 public:
  // `address` is IP:PORT; if it is empty, nothing is served. Throws Error with Blame::platform if it cannot listen
  // there.
  explicit ProgressServer(const std::string& address);

  // Replaces what is served. A ProgressReport is converted to JSON only when a client requests it, so show(report) is
  // cheap enough to call after each step.
  void show(std::string json) EXCLUDES(mutex_) { replace(std::move(json)); }
  void show(ProgressReport report) EXCLUDES(mutex_) { replace(std::move(report)); }

 private:
  using Shown = std::variant<std::string, ProgressReport>;

  void replace(Shown shown) EXCLUDES(mutex_);
  data::Page page() EXCLUDES(mutex_);

  Mutex mutex_;
  Shown shown_ GUARDED_BY(mutex_);
  std::optional<data::PageServer> server_;  // last: it uses all of the above
};

}  // namespace carrack::train
