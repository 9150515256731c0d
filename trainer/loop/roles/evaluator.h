// Evaluates committed checkpoints of a job on spec.data.eval, one at a time, in the coordinator, on a separate thread
// while training continues. Writes BEST, the file in the checkpoint folder that names the checkpoint with the lowest
// loss until now.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trainer/checkpoint/folder.h"
#include "trainer/evaluation/metrics.h"
#include "trainer/launch/launch.h"
#include "trainer/loop/roles/background.h"
#include "trainer/loop/roles/watchdog.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// The result of an evaluation.
struct Evaluation {
  std::uint64_t step = 0;  // step of the checkpoint
  MetricValues values;     // loss and other metrics
  bool is_best = false;    // BEST names this checkpoint now
};

// Checks at the start of a job whether evaluations will be possible; spec.data.eval must be set. Throws Error with
// Blame::user if spec.data.eval has no records, if the first records cannot be used, or if the parameters do not fit
// into the part of this process's memory that evaluations may use; data::Error if the storage fails.
void require_evaluation_data(const Config& config, const RoleContext& context);

// Not thread-safe. The destructor stops the evaluation that is under way, and waits for its thread. Tasks that this
// puts into the inbox refer to it, so the inbox must not run them after the destructor.
class Evaluator {
 public:
  // A commit whose model is to be evaluated.
  struct Candidate {
    checkpoint::Committed checkpoint;
    std::uint64_t step = 0;
  };

  // Reads BEST, which an earlier process may have written, and ignores it if it is damaged or does not name a
  // checkpoint of this training. After each evaluation `done` is called on the thread that handles the inbox, with
  // nullopt if the evaluation failed; it must not be empty. `launch`, which must have data.evaluation, the storages,
  // `inbox` and `watchdog` must outlive this. Throws data::Error if the storage fails.
  Evaluator(const Launch& launch, const RoleContext& context, Inbox& inbox, Watchdog& watchdog,
            std::function<void(const std::optional<Evaluation>&)> done);
  ~Evaluator() { ending_ = true; }
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Starts to evaluate `candidate`, and returns immediately. If an evaluation is under way, the candidate waits for its
  // end, and replaces a candidate that waits already: not every checkpoint is evaluated. A failure is logged, and is
  // not an exception. If the checkpoint that BEST names is evaluated again, it stays the best one. If another process
  // has claimed HEAD before the end, the evaluation counts as failed, and BEST is not written.
  void begin(const Candidate& candidate);

  // True if an evaluation runs or waits.
  bool is_under_way() const { return under_way_.has_value(); }
  // The best checkpoint until now; nullopt if no checkpoint was evaluated with a finite loss.
  const std::optional<checkpoint::Best>& best() const { return best_; }
  // Returns the manifests of the best checkpoint and of the one under evaluation. These checkpoints must not be
  // removed.
  std::vector<std::string> manifests_in_use() const;

 private:
  void start(const Candidate& candidate);
  void ended(const std::optional<Evaluation>& evaluation, const std::optional<checkpoint::Best>& best);
  // Calls work.goes_on() for each tensor and each batch.
  MetricValues values_of(const checkpoint::Committed& checkpoint, Watchdog::Work& work) const;

  const Launch& launch_;
  const RoleContext context_;
  Watchdog& watchdog_;
  std::function<void(const std::optional<Evaluation>&)> done_;
  checkpoint::CheckpointFolder folder_;  // only the thread of the evaluations uses it
  std::optional<checkpoint::Best> best_;
  std::optional<Candidate> under_way_, waiting_;
  std::atomic<bool> ending_ = false;
  Background background_;  // last: it uses all of the above
};

}  // namespace carrack::train
