// Records how a job goes: metrics.jsonl and event files for TensorBoard in its checkpoint folder
// (docs/formats/metrics.md). Training goes on without them: what cannot be read or written is logged once.
#pragma once

#include <cstdint>
#include <functional>
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

// Not thread-safe. The destructor waits for the writes that are under way.
class RunHistory {
 public:
  struct Settings {
    std::string folder;  // of the checkpoints
    std::string start;   // names this start of the coordinator among all of the job
    std::uint64_t batch = 1;
    std::uint64_t batches_per_epoch = 0;  // 0: not known; all steps are then recorded as those of epoch 0
    bool is_new = false;                  // what the folder has recorded is of another job, which this one replaces
    std::uint64_t step = 0;               // of the commit that the job goes on from; 0 if there is none
  };

  // Reads what earlier starts have recorded. `is_ours` says whether this is still the last start of the coordinator: if
  // it is not, nothing is written. It is called on another thread. `inbox` must outlive this.
  RunHistory(Settings settings, const RoleContext& context, Inbox& inbox, std::function<bool()> is_ours);

  // How many evaluations in a row were not the best one, over all starts of the job. Those with a loss that is not
  // finite do not count.
  std::int64_t evaluations_since_best() const { return evaluations_since_best_; }
  // The parameters of this step are the best ones so far, whatever is recorded: evaluations up to it do not count.
  void best_is_of(std::uint64_t step);

  // To be called after each step, or some of them, but only while the job trains. Cheap unless the step is to be
  // recorded.
  void add(std::uint64_t step, const LossTotals& losses);
  void add(const Evaluation& evaluation);

  // Writes what is recorded, if it is time to: the longer the job runs, the less often.
  void write_if_due();
  // The next write_if_due() writes, once the write that is under way has ended.
  void write_soon() { is_due_ = true; }
  // Whether what was recorded before write_soon() is written, or cannot be.
  bool is_saved() const { return !is_due_ && writes_under_way_ == 0; }
  // Writes all that is recorded. The destructor waits for that.
  void flush();
  // Records the last step, and writes all.
  void finish(std::uint64_t step, const LossTotals& losses);

 private:
  std::uint64_t epoch_of(std::uint64_t step) const;
  void record(std::uint64_t step, const LossTotals& losses, double now);
  void begin_at(std::uint64_t step, const LossTotals& losses);
  void append(const history::Point& point);
  void append_held();
  void write();
  void written(const std::optional<std::string>& refusal);

  const Settings settings_;
  const RoleContext context_;
  const std::function<bool()> is_ours_;
  double job_began_, written_;  // in seconds since 1970
  bool is_refused_ = false;     // the file cannot be read, and is left alone
  bool is_due_ = false, is_logged_ = false;
  int writes_under_way_ = 0;

  history::Sampling sampling_{0.05};
  // Of the last point of training, or where this start has found the job training.
  std::optional<std::uint64_t> last_step_;
  double last_time_ = 0;
  LossTotals last_losses_;
  std::uint64_t recorded_ = 0;  // the last step of training that is recorded and holds

  history::Sampling evaluation_sampling_{0.05};
  std::optional<std::uint64_t> evaluated_;  // the last step that was evaluated
  std::int64_t evaluations_since_best_ = 0;
  // Evaluations that were not due, to be recorded with the next one or the next write: the best one and the last one.
  std::vector<history::EvaluationPoint> held_;

  std::string lines_;      // all of metrics.jsonl
  std::string events_;     // that no event file has yet
  int files_ = 0;          // how many event files this start has begun
  Background background_;  // last: it uses all of the above
};

}  // namespace carrack::train
