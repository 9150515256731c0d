// Records how a job goes: metrics.jsonl and event files for TensorBoard in its checkpoint folder
// (docs/formats/metrics.md). A job does not depend on them: what cannot be read or written is logged once.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainer/comm/protocol/coordinator.h"
#include "trainer/history/point.h"
#include "trainer/history/sampling.h"
#include "trainer/loop/roles/background.h"
#include "trainer/loop/roles/evaluator.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// Not thread-safe. The destructor waits for the write that is under way.
class RunHistory {
 public:
  struct Settings {
    std::string folder;  // of the checkpoints
    std::string start;   // names this start of the coordinator among all of the job
    std::uint64_t batch = 1;
    std::uint64_t batches_per_epoch = 0;  // 0: not known; all steps are then recorded as those of epoch 0
    std::uint64_t step = 0;               // which the job goes on from
  };

  // Reads what earlier starts have recorded, up to the step. `inbox` must outlive this.
  RunHistory(Settings settings, const RoleContext& context, Inbox& inbox);

  // How many evaluations in a row were not the best one, over all starts of the job.
  std::int64_t evaluations_since_best() const { return evaluations_since_best_; }

  // To be called after each step, or some of them. Cheap unless the step is to be recorded.
  void add(std::uint64_t step, const LossTotals& losses);
  void add(const Evaluation& evaluation);

  // Writes what is recorded, if it is time to: the longer the job runs, the less often.
  void write_if_due();
  // Records the last step and writes all, but only once.
  void finish(std::uint64_t step, const LossTotals& losses);
  bool is_writing() const { return is_writing_; }

 private:
  std::uint64_t epoch_of(std::uint64_t step) const;
  void record(std::uint64_t step, const LossTotals& losses, double now);
  void append(const history::Point& point);
  void count(const history::Point& point);
  void write();

  using Clock = std::chrono::steady_clock;

  const Settings settings_;
  const RoleContext context_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point written_ = began_;
  bool is_refused_ = false;  // the file cannot be read, and is left alone
  bool is_finished_ = false, is_writing_ = false, is_logged_ = false;

  history::Sampling sampling_{0.05};
  // Of the last point of training, or of the beginning.
  std::uint64_t last_step_;
  double last_time_;
  LossTotals last_losses_;

  std::optional<std::uint64_t> evaluated_;  // the last step that was evaluated
  std::int64_t evaluations_since_best_ = 0;

  std::string lines_;                // all of metrics.jsonl
  std::vector<history::Point> new_;  // that no event file has yet
  Background background_;            // last: it uses all of the above
};

}  // namespace carrack::train
