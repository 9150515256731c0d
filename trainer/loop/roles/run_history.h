// Records how a job goes, as metrics.jsonl and event files for TensorBoard in its checkpoint folder
// (docs/formats/metrics.md). Training does not depend on them: a failure to read or write them is logged once.
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
    std::string folder;  // the checkpoint folder
    std::string start;   // identifies this start of the coordinator among all starts of the job
    std::uint64_t batch = 1;
    std::uint64_t batches_per_epoch = 0;  // 0: not known; all steps are then recorded as epoch 0
    bool is_new = false;     // what the folder has recorded belongs to another job, which this one replaces
    std::uint64_t step = 0;  // of the commit that the job goes on from; 0: no commit
  };

  // Reads what earlier starts have recorded. `is_ours` returns false if a later start of the coordinator has taken
  // over; then nothing is written. It is called on another thread. `inbox` must outlive this.
  RunHistory(Settings settings, const RoleContext& context, Inbox& inbox, std::function<bool()> is_ours);

  // How many evaluations in a row were not the best one, over all starts of the job. Evaluations whose loss is not
  // finite do not count.
  std::int64_t evaluations_since_best() const { return evaluations_since_best_; }
  // Declares that the parameters of this step are the best ones so far: evaluations up to it do not count.
  void best_is_of(std::uint64_t step);

  // Call this after each step, or after some of them, but only while the job trains. Cheap unless the step is recorded.
  void add(std::uint64_t step, const LossTotals& losses);
  void add(const Evaluation& evaluation);

  // Writes what is recorded if that is due. The longer the job has run, the less often it is due.
  void write_if_due();
  // Makes the next write_if_due() write, once the write that is under way has ended.
  void write_soon() { is_due_ = true; }
  // True if everything that was recorded before write_soon() is written, or cannot be written.
  bool is_saved() const { return !is_due_ && writes_under_way_ == 0; }
  // Begins to write everything that is recorded. The destructor waits for its end.
  void flush();
  // Records the last step, and begins to write everything.
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
  bool is_refused_ = false;     // the file cannot be read, so it is not overwritten
  bool is_due_ = false, is_logged_ = false;
  int writes_under_way_ = 0;

  history::Sampling sampling_{0.05};
  // Of the last recorded point of training, or of the step at which this start has found the job training.
  std::optional<std::uint64_t> last_step_;
  double last_time_ = 0;
  LossTotals last_losses_;
  std::uint64_t recorded_ = 0;  // the last recorded step of training that is still valid

  history::Sampling evaluation_sampling_{0.05};
  std::optional<std::uint64_t> evaluated_;  // the last step that was evaluated
  std::int64_t evaluations_since_best_ = 0;
  // Evaluations that were not due, for recording with the next one or the next write: the best one and the last one.
  std::vector<history::EvaluationPoint> held_;

  std::string lines_;      // the whole content of metrics.jsonl
  std::string events_;     // not yet in an event file
  int files_ = 0;          // how many event files this start has written
  Background background_;  // last: it uses all of the above
};

}  // namespace carrack::train
