#include <algorithm>

#include "dataloader/text.h"
#include "trainer/checkpoint/retention.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/error.h"
#include "trainer/launch/overloaded.h"
#include "trainer/loop/data/data_start.h"
#include "trainer/loop/data/statistics.h"
#include "trainer/loop/roles/background.h"
#include "trainer/loop/roles/evaluator.h"
#include "trainer/loop/roles/frame_limits.h"
#include "trainer/loop/roles/progress.h"
#include "trainer/loop/roles/removal.h"
#include "trainer/loop/roles/role_loop.h"
#include "trainer/loop/roles/run_history.h"
#include "trainer/loop/storage/commit_store.h"
#include "trainer/loop/storage/initial_weights.h"
#include "trainer/optimizer/gradient_norm.h"
#include "trainer/planning/shares.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

// The pause between two checks whether the number of batches of the job is known, if it is not known at the start. It
// is short, because the last commit of a job with one epoch waits for a check.
constexpr auto check_total_every = std::chrono::seconds(1);
// After the end of the job the coordinator waits this long for its members to receive End, and for the removal of old
// checkpoints. Then it ends in any case.
constexpr auto end_within = std::chrono::seconds(5);

// Returns the number of lanes (shares of a batch) that are divided among the workers; see CoordinatorSettings.
std::uint32_t lanes_dealt(const Training& training, const FoundData& data) {
  if (training.deterministic) return 0;
  return static_cast<std::uint32_t>(data.lanes_are_fixed ? training.lanes : equal_parts(training.batch));
}

// Async: returns by how much the number of a granted batch may exceed that of the first unfinished batch. While a
// worker computes a batch, servers apply at most this many earlier ones and this many later ones. Together these are
// max_staleness updates.
std::optional<std::uint64_t> batches_ahead_max(const Training& training) {
  if (!training.max_staleness) return std::nullopt;
  return static_cast<std::uint64_t>(*training.max_staleness) / 2;
}

// `is_remote` is true if the checkpoint folder is in a bucket. One object there, such as HEAD, can be written only
// about once a second, so commits must be at least a second apart.
CoordinatorSettings settings_for(const Launch& launch, const FoundData& data, bool is_remote,
                                 const std::string& initial_weights, std::uint64_t attempts_before) {
  const Training& training = launch.config.training;
  const Checkpoint& checkpoint = launch.config.checkpoint;
  std::optional<std::uint64_t> batches_per_cut;
  if (checkpoint.every_steps) batches_per_cut = static_cast<std::uint64_t>(*checkpoint.every_steps);
  return {.job_uid = launch.job_uid,
          .attempt = static_cast<std::uint32_t>(launch.fence.attempt),
          .incarnation = static_cast<std::uint32_t>(launch.fence.incarnation),
          .attempts_before = attempts_before,
          .servers = static_cast<std::uint32_t>(launch.config.ps.max),
          .workers_max = static_cast<std::uint32_t>(launch.config.workers.max),
          .lanes = static_cast<std::uint32_t>(training.lanes),
          .lanes_dealt = lanes_dealt(training, data),
          .sync = training.consistency == Consistency::sync,
          .batches_ahead_max = batches_ahead_max(training),
          .clips_by_norm = training.consistency == Consistency::sync && clips_by_norm(training),
          .total_batches = total_batches(data, training),
          .batches_per_cut = batches_per_cut,
          .time_per_cut = std::chrono::seconds(checkpoint.every_seconds),
          .cut_interval_min = std::chrono::seconds(is_remote ? 1 : 0),
          .order = data.order,
          .initial_weights = initial_weights};
}

// What open_coordinator() prepares before members can connect. `store` has claimed HEAD, so this process may commit.
struct Start {
  std::unique_ptr<const Setup> setup;
  std::unique_ptr<ProgressServer> progress;
  std::unique_ptr<const FoundData> data;
  std::unique_ptr<CommitStore> store;
  std::string initial_weights;  // version of the weights file; empty: no such file
};

std::uint64_t step_of(const checkpoint::Committed& checkpoint) {
  const std::optional<checkpoint::Cut> cut = checkpoint::cut_of_file(checkpoint.manifest);
  return cut ? cut->step : 0;
}

RunHistory::Settings history_settings(const Launch& launch, const FoundData& data, const CommitStore& store) {
  return {.folder = launch.config.checkpoint.folder,
          .start = std::to_string(store.attempts_before() + static_cast<std::uint64_t>(launch.fence.attempt)) + "-" +
                   std::to_string(launch.fence.incarnation),
          .batch = static_cast<std::uint64_t>(launch.config.training.batch),
          .batches_per_epoch = data.first_pass == nullptr ? data.batches_per_epoch : 0,
          .is_new = store.begins_in_place_of_another(),
          .step = store.last_commit().version};
}

class CoordinatorRole final : public RoleLoop {
 public:
  CoordinatorRole(const Launch& launch, const RoleContext& context, const RoleConnections& connections, Start start)
      : start_(std::move(start)),
        reporter_{launch.job_uid, launch.fence},
        store_(*start_.store),
        launch_(launch),
        watchdog_(connections.watchdog),
        data_(*start_.data),
        coordinator_(settings_for(launch, data_, context.storages.is_remote(launch.config.checkpoint.folder),
                                  start_.initial_weights, store_.attempts_before()),
                     store_.last_commit()),
        progress_(*start_.progress),
        own_endpoint_(connections.new_endpoint(coordinator_limits(*start_.setup))),
        shutdown_requested_(context.shutdown_requested),
        report_drained_(context.report_drained),
        report_end_(context.report_end),
        head_check_(background_, check_head_every, [this] { return check_head(); }),
        total_check_(background_, check_total_every, [this] { return check_total(); }),
        log_(context.log),
        removal_(store_.remover()),
        history_(history_settings(launch, data_, store_), context, connections.inbox, watchdog_,
                 [&launch, &storages = context.storages] { return still_claims(launch, storages); }),
        background_(connections.inbox) {
    if (launch.config.data.evaluation) {
      evaluator_.emplace(launch, context, connections.inbox, watchdog_,
                         [this](const std::optional<Evaluation>& evaluation) { evaluation_ended(evaluation); });
      if (const auto& best = evaluator_->best()) history_.best_is_of(step_of(best->checkpoint));
      // An earlier process may have lost patience, and ended before it could end the job.
      if (has_lost_patience()) {
        ends_early_ = true;
        log_early_end();
      }
    }
    endpoint_.listen(launch.addresses.listen);
    // An earlier process may have ended before it had evaluated the last commit and removed old checkpoints.
    const Commit& last = store_.last_commit();
    if (!last.manifest.empty() && !last.resumed) follow(last);
  }

  // Reports the progress even after a failure: the last commit, which the report names, remains valid.
  ~CoordinatorRole() override { report_end_(to_json_at_end(report())); }

  // The caller handles all events in the inbox before it calls tick(). So a member whose message has arrived already
  // does not count as silent.
  void tick() override {
    if (const Clock::time_point now = Clock::now(); exit_ || now >= tick_due_) do_what_is_due(now);
    if (!exit_ && coordinator_.is_training()) history_.add(coordinator_.batches_done(), coordinator_.loss_totals());
    progress_.show(report());
  }

  std::optional<Exit> exit() const override {
    if (is_evaluating_the_last() && !shutdown_requested_()) return std::nullopt;
    if (exit_ && Clock::now() < end_by_ && (!all_notified() || removal_.is_under_way())) return std::nullopt;
    return exit_;
  }

  void handle(Event& event) override {
    try {
      dispatch(event);
    } catch (const Error&) {
      history_.flush();  // so that the user can see how the job went until the failure
      throw;
    }
  }

  void other_has_failed() override { history_.flush(); }

 private:
  void dispatch(Event& event) {
    std::visit(overloaded{[](Task& task) { task.run(); },
                          [this](Closed& closed) {
                            streams_.erase(closed.peer);
                            carry_out(coordinator_.closed(closed.peer));
                          },
                          [this](Arrived& arrived) {
                            streams_.insert(arrived.from);
                            carry_out(coordinator_.received(arrived.from, *arrived.part.message, Clock::now()));
                          }},
               event);
  }

  void do_what_is_due(Clock::time_point now) {
    tick_due_ = now + tick_every;
    if (!exit_) carry_out(coordinator_.tick(now));
    if (!exit_) head_check_.begin_if_due(now);
    if (!exit_ && !coordinator_.total_batches()) total_check_.begin_if_due(now);
    report_drained_(is_drained());
    if (const auto refusal = removal_.take_refusal()) {
      log_("old checkpoints are not removed: " + *refusal + "; training goes on");
    }
    // After a shutdown request the coordinator ends, but not while a commit of what the workers have done is to come.
    if (!exit_ && shutdown_requested_() && !coordinator_.is_draining()) end(Exit::drained);
    if (!exit_) {
      history_.write_if_due();
      if (ends_early_ && history_.is_saved()) stop_early();
    } else if (exit_ != Exit::superseded && (!is_evaluating_the_last() || shutdown_requested_())) {
      history_.finish(coordinator_.batches_done(), coordinator_.loss_totals());
    }
  }

  bool has_lost_patience() const {
    const std::optional<std::int64_t>& patience = launch_.config.training.patience;
    return patience && history_.evaluations_since_best() >= *patience;
  }

  bool is_drained() const { return exit_ == Exit::succeeded || coordinator_.drained(); }

  bool is_evaluating_the_last() const { return exit_ == Exit::succeeded && evaluator_ && evaluator_->is_under_way(); }

  bool all_notified() const { return exit_ == Exit::drained || streams_.empty(); }

  ProgressReport report() const {
    const Commit& last = coordinator_.last_commit();
    return {reporter_,
            coordinator_.batches_done(),
            coordinator_.total_batches(),
            coordinator_.last_loss(),
            last.version,
            last.manifest,
            last.skipped,
            coordinator_.input_wait(),
            coordinator_.staleness(),
            evaluation_,
            coordinator_.hung()};
  }

  void carry_out(Commands commands) {
    visit_each(commands, [this](auto& one) { act(one); });
  }

  void act(SendTo& send) { endpoint_.send(send.peer, std::move(send.message)); }
  void act(const Disconnect& disconnect) { endpoint_.close(disconnect.peer); }
  void act(const EndProcess&) {
    exit_ = Exit::succeeded;
    end_by_ = Clock::now() + end_within;
  }
  void act(const WriteCommit& write) {
    background_.run([this, cut = write.cut]() -> std::function<void()> {
      const Watchdog::Work work(watchdog_, limit("committing to"));
      return [this, number = cut.number, commit = store_.commit(cut)] {
        if (!commit) return end(Exit::superseded);
        carry_out(coordinator_.committed(number, *commit));
        follow(*commit);
      };
    });
  }

  Watchdog::Limit limit(const std::string& doing) const {
    return limit_of_small_files(doing + " " + launch_.config.checkpoint.folder);
  }

  // Starts to evaluate the commit and to remove old checkpoints. A checkpoint under evaluation is not removed.
  void follow(const Commit& commit) {
    if (evaluator_) evaluator_->begin({{commit.manifest, commit.manifest_crc32c}, commit.version});
    remove_after(commit);
  }

  void remove_after(const Commit& commit) {
    removal_.begin(
        {.last = commit.manifest, .others = evaluator_ ? evaluator_->manifests_in_use() : std::vector<std::string>()});
  }

  void evaluation_ended(const std::optional<Evaluation>& evaluation) {
    if (evaluation) evaluated(*evaluation);
    if (exit_ == Exit::succeeded) end_by_ = Clock::now() + end_within;
    // A checkpoint that was evaluated may be removed, unless it is the last commit or the best one. If it is the best
    // one, the previous best one may be removed.
    const Commit& last = coordinator_.last_commit();
    if (!evaluation || evaluation->is_best || evaluation->step != last.version) remove_after(last);
  }

  void evaluated(const Evaluation& evaluation) {
    log_("step " + std::to_string(evaluation.step) + " evaluated: " + text(evaluation.values) +
         (evaluation.is_best ? ", the lowest loss" : ""));
    history_.add(evaluation);
    EvaluationReport report{.step = evaluation.step, .metrics = named(evaluation.values)};
    if (const auto& best = evaluator_->best()) {
      report.best_step = step_of(best->checkpoint);
      report.best_manifest = best->checkpoint.manifest;
      report.best_loss = best->loss;
    }
    evaluation_ = std::make_shared<const EvaluationReport>(std::move(report));
    if (exit_ || ends_early_ || !has_lost_patience()) return;
    ends_early_ = true;
    log_early_end();
    history_.write_soon();
  }

  // Ends the job because of training.patience. Called once the evaluations are written: if this process ends too early,
  // the next process of the coordinator reads them and ends the job.
  void stop_early() {
    if (!std::exchange(stopped_early_, true)) carry_out(coordinator_.stop_early());
  }

  void log_early_end() {
    const auto& best = evaluator_->best();
    log_("the job ends early: " +
         data::counted(static_cast<std::uint64_t>(history_.evaluations_since_best()), "evaluation") +
         " since the best one, of step " + std::to_string(best ? step_of(best->checkpoint) : 0));
  }

  // Ends this process if another one has claimed HEAD. Runs on the thread of commits, as store_ is not thread-safe.
  std::function<void()> check_head() {
    const Watchdog::Work work(watchdog_, limit("reading HEAD in"));
    return [this, ours = store_.still_claimed()] {
      if (!ours) end(Exit::superseded);
    };
  }

  // Checks whether the number of batches of the job is known now. Runs on the thread that commits, because commits use
  // the same data, which is not thread-safe.
  std::function<void()> check_total() {
    const Watchdog::Work work(watchdog_, limit("reading indexes in"));
    return [this, total = total_batches(data_, launch_.config.training)] {
      if (total) carry_out(coordinator_.total_known(*total));
    };
  }

  // Ends this process without a message to the members, which find the next coordinator by themselves. The destructor
  // of background_ waits for a commit that is under way.
  void end(Exit exit) {
    exit_ = exit;
    end_by_ = Clock::now();
  }

  const Start start_;
  const Reporter reporter_;
  CommitStore& store_;
  const Launch& launch_;
  Watchdog& watchdog_;
  const FoundData& data_;
  Coordinator coordinator_;
  ProgressServer& progress_;
  std::unique_ptr<Endpoint> own_endpoint_;
  Endpoint& endpoint_ = *own_endpoint_;
  std::function<bool()> shutdown_requested_;
  std::function<void(bool)> report_drained_;
  std::function<void(const std::string&)> report_end_;
  Repeated head_check_;
  Repeated total_check_;
  std::function<void(const std::string&)> log_;
  Removal removal_;
  RunHistory history_;
  Background background_;               // after all that its jobs use, so that it is destroyed first
  std::optional<Evaluator> evaluator_;  // destroyed before all of the above; nullopt if nothing is evaluated
  std::shared_ptr<const EvaluationReport> evaluation_;
  bool ends_early_ = false, stopped_early_ = false;
  std::set<PeerId> streams_;  // open streams on which a message has arrived, whether from a member or not
  Clock::time_point tick_due_;
  std::optional<Exit> exit_;
  Clock::time_point end_by_;
};

}  // namespace

OpenedRole open_coordinator(const Launch& launch, const RoleContext& context, const RoleConnections& connections) {
  Start start;
  start.setup = std::make_unique<const Setup>(setup_from(launch.config));
  start.progress = std::make_unique<ProgressServer>(launch.addresses.progress);
  // The weights are checked before the data is read, so that a wrong file ends the job soon. Reading may take long.
  start.initial_weights = require_initial_weights(launch, start.setup->layout, context.storages);
  const DataWork work = snapshot_in(launch.config.data) != nullptr ? DataWork::snapshot : DataWork::indexing;
  const auto show = [&](const data::IndexingProgress& built) {
    start.progress->show(to_json({launch.job_uid, launch.fence}, work, built));
  };
  start.data =
      std::make_unique<const FoundData>(found_in(open_data_as_coordinator(launch, *start.setup, context, show)));
  // Only before the first commit: a job that has trained already must not fail because it cannot evaluate.
  if (launch.config.data.evaluation && !has_commit(launch, context.storages)) {
    require_evaluation_data(launch.config, context);
  }
  start.store = std::make_unique<CommitStore>(launch, *start.setup, context.storages, context.nonce);
  const auto show_wait = [&] { start.progress->show(to_json_of_take_over({launch.job_uid, launch.fence})); };
  if (const auto ended = start.store->claim(
          *start.data, {.cancelled = context.shutdown_requested, .log = context.log, .begins = show_wait})) {
    return *ended;
  }
  const auto show_read = [&](const RecordsRead& read) {
    start.progress->show(to_json({launch.job_uid, launch.fence}, read));
  };
  if (const auto ended =
          provide_statistics(launch, *start.setup, context, start.data->order, *start.store, show_read)) {
    return *ended;
  }
  return std::make_shared<CoordinatorRole>(launch, context, connections, std::move(start));
}

}  // namespace carrack::train
