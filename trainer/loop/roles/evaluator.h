// Evaluates the model of each commit with spec.data.eval, on a thread of its own beside training, and keeps BEST.
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
  bool is_best = false;
};

// Throws Error, with Blame::user, if spec.data.eval has no records, if the first ones lack a feature of the model, or
// if the parameters do not fit into the memory that is left for them; data::Error if storage fails.
void require_evaluation_data(const Config& config, const RoleContext& context);

// Not thread-safe. The destructor ends the evaluation that is under way and waits for that.
class Evaluator {
 public:
  // A commit whose model is to be evaluated.
  struct Candidate {
    checkpoint::Committed checkpoint;
    std::uint64_t step = 0;
  };

  // `done` is called on the thread that handles the inbox after each evaluation, with nullopt if it failed. `launch`,
  // which must have data.evaluation, the storages and `inbox` must outlive this. Reads BEST, which is ignored if it
  // cannot be used or names no checkpoint of this job. Throws data::Error if storage fails.
  Evaluator(const Launch& launch, const RoleContext& context, Inbox& inbox,
            std::function<void(const std::optional<Evaluation>&)> done);
  ~Evaluator() { ending_ = true; }
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // Begins, or waits for the evaluation that is under way. Of the commits that wait only the last one counts. What
  // cannot be evaluated is logged, and training goes on. The checkpoint that BEST names stays the best one if it is
  // evaluated again. Once a later start of the coordinator has claimed the folder, evaluations fail without a word.
  void begin(const Candidate& candidate);

  bool is_under_way() const { return under_way_.has_value(); }
  const std::optional<checkpoint::Best>& best() const { return best_; }
  // The manifests of the best checkpoint and of the one that is evaluated, which must not be removed.
  std::vector<std::string> manifests_in_use() const;

 private:
  void start(const Candidate& candidate);
  void ended(const std::optional<Evaluation>& evaluation, const std::optional<checkpoint::Best>& best);
  MetricValues values_of(const checkpoint::Committed& checkpoint) const;

  const Launch& launch_;
  const RoleContext context_;
  std::function<void(const std::optional<Evaluation>&)> done_;
  checkpoint::CheckpointFolder folder_;  // used by the thread of the evaluations
  std::optional<checkpoint::Best> best_;
  std::optional<Candidate> under_way_, waiting_;
  std::atomic<bool> ending_ = false;
  Background background_;  // last: it uses all of the above
};

}  // namespace carrack::train
