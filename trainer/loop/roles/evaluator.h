// Evaluates the model of each commit on spec.data.eval, on a thread of its own while training continues, and writes
// BEST.
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
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

struct Evaluation {
  std::uint64_t step = 0;
  MetricValues values;
  bool is_best = false;  // it is the best one until now
};

// Throws Error with Blame::user if spec.data.eval has no records, if the first records lack a feature of the model, or
// if the parameters do not fit into the memory that may be used for them; data::Error if the storage fails.
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

  // `launch`, which must have data.evaluation, the storages and `inbox` must outlive this. After each evaluation
  // `done`, which must not be empty, is called on the thread that handles the inbox, with nullopt if the evaluation
  // failed. Reads BEST, and ignores it if it cannot be used or does not name a checkpoint of this training. Throws
  // data::Error if the storage fails.
  Evaluator(const Launch& launch, const RoleContext& context, Inbox& inbox,
            std::function<void(const std::optional<Evaluation>&)> done);
  ~Evaluator() { ending_ = true; }
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Evaluates `candidate`, after the evaluation that is under way. If several candidates wait, only the last one is
  // evaluated. A failure is logged, and training continues. If the checkpoint that BEST names is evaluated again, it
  // stays the best one. If a later process of the coordinator has claimed the folder, evaluations fail without a log
  // line.
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
  MetricValues values_of(const checkpoint::Committed& checkpoint) const;

  const Launch& launch_;
  const RoleContext context_;
  std::function<void(const std::optional<Evaluation>&)> done_;
  checkpoint::CheckpointFolder folder_;  // only the thread of the evaluations uses it
  std::optional<checkpoint::Best> best_;
  std::optional<Candidate> under_way_, waiting_;
  std::atomic<bool> ending_ = false;
  Background background_;  // last: it uses all of the above
};

}  // namespace carrack::train
