// RunHistory: records the training curve of a job (loss, speed, evaluations) in its checkpoint folder, as metrics.jsonl
// and as event files for TensorBoard (docs/formats/metrics.md). The coordinator uses it. A failure to read or write the
// files does not end the job; it is logged once for reading and once for writing. It also counts evaluations for
// training.patience, which ends a job whose loss does not improve any more.
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
#include "trainer/loop/roles/watchdog.h"
#include "trainer/loop/setup/role_context.h"

namespace carrack::train {

// Use it only on the thread that handles `inbox`. It writes on a separate thread; after each write a Task that refers
// to this object goes to `inbox`. The destructor waits for all writes that were started. `inbox` must outlive this
// object, and must not run these Tasks after its end.
class RunHistory {
 public:
  struct Settings {
    std::string folder;                   // the checkpoint folder
    std::string start;                    // different in each process of the coordinator; a part of file names
    std::uint64_t batch = 1;              // number of records in a batch
    std::uint64_t batches_per_epoch = 0;  // 0: not known; all steps are then recorded as epoch 0
    bool is_new = false;                  // the history in the folder belongs to another job, which this one replaces
    std::uint64_t step = 0;               // step of the commit from which the job continues; 0: there is no commit
  };

  // Reads what earlier processes have recorded, and continues it. `is_ours` is called before each write, on the
  // separate thread: it must return false if another process has claimed HEAD, and then nothing is written. It must not
  // be empty. `inbox` and `watchdog` must outlive this.
  RunHistory(Settings settings, const RoleContext& context, Inbox& inbox, Watchdog& watchdog,
             std::function<bool()> is_ours);

  // The number of evaluations since the best one, over all processes of the job's coordinator. Evaluations whose loss
  // is not finite do not count.
  std::int64_t evaluations_since_best() const { return evaluations_since_best_; }
  // Declares, from the file BEST of an earlier process, that the checkpoint of this step is the best one until now.
  // Sets evaluations_since_best() to 0, unless a later step was evaluated already.
  void best_is_of(std::uint64_t step);

  // Records a point of the training curve if one is due; the distance between points grows with the step. `step` is the
  // number of steps that are done, and `losses` are Coordinator::loss_totals(). Call this after each step, or after
  // some of them, but only while the job trains; it is cheap. A lower step than in an earlier call means that the
  // servers went back to a checkpoint: points recorded for later steps are then not valid any more.
  void add(std::uint64_t step, const LossTotals& losses);
  // Records an evaluation, and counts it for evaluations_since_best().
  void add(const Evaluation& evaluation);

  // Starts to write what is recorded if that is due, on the separate thread. It is due after a twentieth of the job's
  // age, but at least 2 and at most 600 seconds after the previous write, after write_soon(), and immediately if
  // Settings::is_new. Does nothing while a write is under way.
  void write_if_due();
  // Makes the next write_if_due() write, once the write that is under way has ended.
  void write_soon() { is_due_ = true; }
  // After write_soon(): true once everything that was recorded before it is written, or cannot be written.
  bool is_saved() const { return !is_due_ && writes_under_way_ == 0; }
  // Starts to write everything that is recorded, whether due or not. The destructor waits for its end.
  void flush();
  // Records the last step of the job or of this process, whether due or not, and starts to write everything. May be
  // called again.
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
  bool is_refused_ = false;     // metrics.jsonl cannot be read, so it is not overwritten
  bool is_due_ = false, is_logged_ = false;
  int writes_under_way_ = 0;

  history::Sampling sampling_{0.05};
  // The last recorded point of training, or the step at which this process has found the job training.
  std::optional<std::uint64_t> last_step_;
  double last_time_ = 0;
  LossTotals last_losses_;
  std::uint64_t recorded_ = 0;  // the last recorded step of training that is still valid

  history::Sampling evaluation_sampling_{0.05};
  std::optional<std::uint64_t> evaluated_;  // the last step that was evaluated
  std::int64_t evaluations_since_best_ = 0;
  // Evaluations that were not due: the best one and the last one. They are recorded with the next one that is due, or
  // the next write.
  std::vector<history::EvaluationPoint> held_;

  std::string lines_;   // the whole content of metrics.jsonl
  std::string events_;  // what is not yet in an event file
  int files_ = 0;       // number of event files that this process has written
  Watchdog& watchdog_;
  Background background_;  // last: it uses all of the above
};

}  // namespace carrack::train
