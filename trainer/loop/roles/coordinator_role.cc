#include "trainer/comm/protocol/coordinator.h"
#include "trainer/comm/transport/endpoint.h"
#include "trainer/loop/data/data_start.h"
#include "trainer/loop/roles/background.h"
#include "trainer/loop/roles/progress.h"
#include "trainer/loop/roles/role.h"
#include "trainer/loop/storage/commit_store.h"

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto wake_every = std::chrono::milliseconds(50);
// A coordinator that woke up after it was replaced commits nothing, and so would never learn that it is not the one.
constexpr auto look_at_head_every = std::chrono::seconds(3);
// While nobody knows how long the job is. Its last commit waits for that where the first epoch is the only one.
constexpr auto look_for_the_end_every = std::chrono::seconds(1);
// How long members may take to read that the job is done, and whoever follows the job to ask how it ended.
constexpr auto end_within = std::chrono::seconds(5);
// The same, of a job that has drained: its operator reads its progress all the time.
constexpr auto leave_within = std::chrono::seconds(2);

CoordinatorSettings voyage_of(const Launch& launch, const FoundData& data) {
  const Training& training = launch.config.training;
  return {.job_uid = launch.job_uid,
          .attempt = static_cast<std::uint32_t>(launch.fence.attempt),
          .incarnation = static_cast<std::uint32_t>(launch.fence.incarnation),
          .servers = static_cast<std::uint32_t>(launch.config.ps.max),
          .lanes = static_cast<std::uint32_t>(training.lanes),
          .sync = training.consistency == Consistency::sync,
          .total_batches = total_batches(data, training),
          .batches_per_cut = static_cast<std::uint64_t>(launch.config.checkpoint.every_steps),
          .data = data.contents};
}

class CoordinatorRole {
 public:
  CoordinatorRole(const Launch& launch, const RoleContext& context, CommitStore& store, const FoundData& data,
                  ProgressServer& progress)
      : teller_{launch.job_uid, launch.fence},
        store_(store),
        launch_(launch),
        data_(data),
        coordinator_(voyage_of(launch, data), store.last_commit()),
        progress_(progress),
        endpoint_(inbox_, context.key),
        asked_to_leave_(context.asked_to_leave),
        drained_(context.drained),
        looks_at_head_(background_, look_at_head_every, [this] { return look_at_head(); }),
        looks_for_the_end_(background_, look_for_the_end_every, [this] { return look_for_the_end(); }),
        background_(inbox_) {
    endpoint_.listen(launch.addresses.listen);
  }

  Exit run() {
    while (!exit_ || (Clock::now() < end_by_ && !all_told())) {
      // All of it, before anybody is taken for silent.
      inbox_.hand_over(Clock::now() + wake_every, [this](Event& event) { handle(event); });
      if (!exit_) carry_out(coordinator_.tick(Clock::now()));
      if (!exit_) looks_at_head_.begin_if_due(Clock::now());
      if (!exit_ && !coordinator_.total_batches()) looks_for_the_end_.begin_if_due(Clock::now());
      progress_.show(json_of({teller_, coordinator_.batches_done(), coordinator_.total_batches(),
                              coordinator_.last_loss(), coordinator_.last_commit(), coordinator_.drained()}));
      drained_(coordinator_.drained());
      if (!exit_ && asked_to_leave_()) leave();
    }
    return *exit_;
  }

 private:
  bool all_told() const { return progress_.told() && (exit_ == Exit::drained || members_.empty()); }

  void handle(Event& event) {
    if (auto* task = std::get_if<Task>(&event)) {
      task->run();
    } else if (auto* closed = std::get_if<Closed>(&event)) {
      members_.erase(closed->peer);
      carry_out(coordinator_.closed(closed->peer));
    } else {
      const auto& arrived = std::get<Arrived>(event);
      members_.insert(arrived.from);
      carry_out(coordinator_.received(arrived.from, arrived.frame.message, Clock::now()));
    }
  }

  void carry_out(const Commands& commands) {
    for (const Command& command : commands) {
      std::visit([this](const auto& one) { act(one); }, command);
    }
  }

  void act(const SendTo& send) { endpoint_.send(send.peer, send.message); }
  void act(const Disconnect& disconnect) { endpoint_.close(disconnect.peer); }
  void act(const EndProcess&) {
    exit_ = Exit::succeeded;
    end_by_ = Clock::now() + end_within;
  }
  void act(const WriteCommit& write) {
    background_.run([this, cut = write.cut]() -> std::function<void()> {
      return [this, number = cut.number, commit = store_.commit(cut)] {
        if (!commit) return end(Exit::superseded);
        carry_out(coordinator_.committed(number, *commit));
      };
    });
  }

  // In order with the commits, which change HEAD too.
  std::function<void()> look_at_head() {
    return [this, ours = store_.still_claimed()] {
      if (!ours) end(Exit::superseded);
    };
  }

  // Only commits look at the data too, and in order with this.
  std::function<void()> look_for_the_end() {
    return [this, total = total_batches(data_, launch_.config.training)] {
      if (total) carry_out(coordinator_.total_known(*total));
    };
  }

  // Where all is committed, whoever follows the job is told of it; else nobody waits for more than is under way.
  void leave() {
    end(Exit::drained);
    if (coordinator_.drained()) end_by_ = Clock::now() + leave_within;
  }

  // Members find its successor; a commit that is under way is brought to its end.
  void end(Exit exit) {
    exit_ = exit;
    end_by_ = Clock::now();
  }

  const ProgressTeller teller_;
  CommitStore& store_;
  const Launch& launch_;
  const FoundData& data_;
  Coordinator coordinator_;
  ProgressServer& progress_;
  Inbox inbox_;
  Endpoint endpoint_;
  std::function<bool()> asked_to_leave_;
  std::function<void(bool)> drained_;
  Repeated looks_at_head_;
  Repeated looks_for_the_end_;
  Background background_;  // Ends before what its jobs use.
  std::set<PeerId> members_;
  std::optional<Exit> exit_;
  Clock::time_point end_by_;
};

}  // namespace

Exit run_coordinator(const Launch& launch, const RoleContext& context) {
  const Setup setup = setup_from(launch.config);
  ProgressServer progress(launch.addresses.progress);
  const DataWork work = snapshot_in(launch.config.data) != nullptr ? DataWork::snapshot : DataWork::indexing;
  JobData begun = data_to_begin_with(launch, setup, context, [&](const data::IndexingProgress& made) {
    progress.show(json_of({launch.job_uid, launch.fence}, work, made));
  });
  const FoundData data = found_in(begun);
  if (auto* input = std::get_if<std::unique_ptr<Input>>(&begun)) input->reset();  // Only workers read.
  CommitStore store(launch, setup, context.storages, context.nonce);
  if (const auto ended = store.claim(data)) return *ended;
  return CoordinatorRole(launch, context, store, data, progress).run();
}

}  // namespace carrack::train
