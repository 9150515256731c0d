#include <algorithm>
#include <iterator>

#include "tests/trainer/comm/simulation/members.h"
#include "tests/trainer/comm/simulation/world.h"
#include "trainer/error.h"

namespace carrack::train::simulation {
namespace {

constexpr Time tick_every = 500 * millisecond;
constexpr Time look_at_head_every = 3 * second;
constexpr Time silence_limit = 5 * second;

// `checkpoint-VERSION-ATTEMPT-INCARNATION-CUT` without the incarnation.
std::string prefix_for_all(const std::string& prefix) {
  const std::size_t cut = prefix.rfind('-');
  return prefix.substr(0, prefix.rfind('-', cut - 1)) + prefix.substr(cut);
}

}  // namespace

void CoordinatorProcess::start() {
  read_head([this](const Head& found) { claim(found); });
}

void CoordinatorProcess::read_head(const std::function<void(const Head&)>& then) {
  auto found = std::make_shared<Head>();
  perform(
      world_.storage_time(), [this, found] { *found = world_.store().head(); }, [found, then] { then(*found); });
}

void CoordinatorProcess::claim(const Head& found) {
  if (found.incarnation > incarnation()) return exit(Exit::superseded);
  head_ = found;
  // It is decided once.
  if (found.generation == 0 || world_.planted(Plant::order_chosen_anew)) {
    head_.first_pass = found_.first_pass() && !world_.store().steps_of_first_pass();
  }
  write_head(found.manifest, [this, manifest = found.manifest](bool won) {
    if (won) return serve(manifest);
    start();
  });
}

void CoordinatorProcess::write_head(std::string manifest, const std::function<void(bool)>& then) {
  Head next{0, incarnation(), name() + "/" + std::to_string(++nonces_), std::move(manifest), head_.first_pass};
  const bool commits = next.manifest != head_.manifest;
  auto won = std::make_shared<bool>(false);
  const auto effect = [this, next, won, commits, expected = head_.generation] {
    const Head before = world_.store().head();
    const bool blind = commits && world_.planted(Plant::head_written_without_condition);
    *won = world_.store().replace_head(blind ? before.generation : expected, next);
    if (!*won && commits) world_.stats().commits_lost++;
    if (!*won || !commits) return;
    world_.stats().commits++;
    world_.check(world_.store().fault_in_commit(incarnation(), before));
  };
  perform(world_.storage_time(), effect, [this, next, won, then] {
    const bool reply_lost = world_.random().chance(30);
    if (*won && !reply_lost) {
      head_ = next;
      ++head_.generation;
    }
    // The change or its reply was lost: HEAD shows which.
    read_head([this, next, then](const Head& found) {
      head_ = found;
      then(found.nonce == next.nonce);
    });
  });
}

void CoordinatorProcess::serve(const std::string& manifest) {
  const Job job = claimed();
  const bool reads = !world_.planted(Plant::data_of_the_commit_not_read);
  if (reads && !manifest.empty() && world_.store().data_of(manifest) != job.data()) return exit(Exit::user_error);
  Commit last = world_.store().commit_of(manifest);
  if (world_.planted(Plant::commit_forgotten)) last.version = 0;
  if (world_.planted(Plant::commit_taken_for_the_last) && !manifest.empty()) last.version = job.total_batches();
  std::optional<std::uint64_t> total = job.total_batches();
  if (job.first_pass()) total.reset();
  std::optional<std::chrono::milliseconds> time_per_cut;
  if (job.time_per_cut) time_per_cut = std::chrono::milliseconds(*job.time_per_cut / millisecond);
  const bool is_bounded = !world_.planted(Plant::granted_further_ahead);
  coordinator_.emplace(
      CoordinatorSettings{.job_uid = "job",
                          .attempt = 1,
                          .incarnation = incarnation(),
                          .servers = job.servers,
                          .workers_max = job.workers,
                          .lanes = job.lanes,
                          .lanes_dealt = job.lanes_dealt,
                          .sync = job.sync,
                          .batches_ahead_max = is_bounded ? job.batches_ahead_max : std::nullopt,
                          .clips_by_norm = job.clip_norm.has_value(),
                          .total_batches = total,
                          .batches_per_cut = job.batches_per_cut,
                          .time_per_cut = time_per_cut,
                          .cut_interval_min = std::chrono::milliseconds(job.cut_interval_min / millisecond),
                          .order = {job.data(), job.data()},
                          .silence_limit = std::chrono::milliseconds(silence_limit / millisecond)},
      std::move(last));
  if (job.first_pass()) look_for_the_end();
  tick();
  later(look_at_head_every, [this] { watch(); });
}

void CoordinatorProcess::look_for_the_end() {
  const auto found = std::make_shared<std::optional<std::uint64_t>>();
  if (world_.planted(Plant::end_never_looked_for)) return;
  perform(
      world_.storage_time(), [this, found] { *found = world_.store().steps_of_first_pass(); },
      [this, found] {
        if (ending_) return;
        if (!*found) return later(second, [this] { look_for_the_end(); });
        world_.stats().totals_told++;
        carry_out(coordinator_->total_known(claimed().total_after(**found)));
      });
}

void CoordinatorProcess::tick() {
  if (ending_) return;
  const Commands commands = tick_at(world_.instant());
  check_lost(commands);
  carry_out(commands);
  later(tick_every, [this] { tick(); });
}

Commands CoordinatorProcess::tick_at(Instant now) {
  constexpr std::chrono::microseconds every(tick_every);
  Commands commands;
  while (world_.planted(Plant::late_ticks_made_up_for) && ticked_ && now - *ticked_ > 2 * every) {
    *ticked_ += every;
    std::ranges::copy(coordinator_->tick(*ticked_), std::back_inserter(commands));
  }
  ticked_ = now;
  std::ranges::copy(coordinator_->tick(now), std::back_inserter(commands));
  return commands;
}

// A tick ends the streams of workers that have been silent for too long. None of them may have sent Alive meanwhile.
void CoordinatorProcess::check_lost(const Commands& commands) {
  for (const Command& command : commands) {
    const auto* lost = std::get_if<Disconnect>(&command);
    if (lost == nullptr || !world_.network().is_open(lost->peer)) continue;
    const Process& worker = *world_.network().other_end(lost->peer);
    const bool is_refused = std::ranges::any_of(commands, [&](const Command& other) {
      const auto* sent = std::get_if<SendTo>(&other);
      return sent != nullptr && sent->peer == lost->peer && sent->message.has_refused();
    });
    if (is_refused || worker.paused() || world_.schedule().now() < worker.woke_at() + silence_limit) continue;
    world_.violate(worker.name() + " is taken for silent, and is not");
  }
}

// A coordinator that was paused and replaced must let go of members that do not know of the replacement.
void CoordinatorProcess::watch() {
  if (world_.planted(Plant::head_never_looked_at)) return;
  read_head([this](const Head& found) {
    if (found.incarnation > incarnation()) return exit(Exit::superseded);
    later(look_at_head_every, [this] { watch(); });
  });
}

void CoordinatorProcess::arrived(PeerId from, FramePart part) {
  if (!coordinator_) return;
  try {
    carry_out(coordinator_->received(from, *part.message, world_.instant()));
    if (part.message->finished().staleness() > 0) world_.stats().stale++;
    check_staleness();
  } catch (const Error& error) {
    if (error.blame() != Blame::user) throw;
    exit(Exit::user_error);
  }
}

// While a batch is computed, others are applied that are at most so far before or behind it.
void CoordinatorProcess::check_staleness() {
  const std::optional<std::uint64_t>& ahead_max = world_.job().batches_ahead_max;
  const std::uint64_t most = total_of(coordinator_->staleness()).most;
  if (!ahead_max || most <= 2 * *ahead_max) return;
  world_.violate("gradients were applied that are " + std::to_string(most) + " updates old, and " +
                 std::to_string(2 * *ahead_max) + " are the most");
}

void CoordinatorProcess::closed(PeerId peer) {
  if (coordinator_) carry_out(coordinator_->closed(peer));
}

void CoordinatorProcess::carry_out(const Commands& commands) {
  each(commands, [this](const Command& command) { std::visit([this](const auto& one) { act(one); }, command); });
}

void CoordinatorProcess::act(const SendTo& send) {
  wire::Message message = send.message;
  if (message.has_load()) world_.stats().loads++;
  if (message.has_cut() && world_.planted(Plant::prefix_without_incarnation)) {
    message.mutable_cut()->set_prefix(prefix_for_all(message.cut().prefix()));
  }
  if (message.has_cut() && world_.planted(Plant::other_cuts_not_named)) {
    message.mutable_cut()->clear_open();
    message.mutable_cut()->add_open(message.cut().number());
  }
  world_.network().send(send.peer, message, {});
}

void CoordinatorProcess::act(const Disconnect& disconnect) {
  world_.network().close(disconnect.peer);
}

void CoordinatorProcess::act(const WriteCommit& command) {
  WriteCommit write = command;
  writing_ = true;
  if (world_.planted(Plant::prefix_without_incarnation)) write.cut.prefix = prefix_for_all(write.cut.prefix);
  perform(
      world_.storage_time(),
      [this, write] { world_.check(world_.store().write_manifest(write.cut, claimed().data())); },
      [this, write] { write_head(write.cut.prefix, [this, write](bool won) { commit_written(write.cut, won); }); });
}

bool CoordinatorProcess::tells_drained() const {
  if (writing_ && world_.planted(Plant::drained_before_the_commit)) return true;
  return coordinator_->drained();
}

std::vector<Hung> CoordinatorProcess::tells_hung() const {
  return coordinator_->hung();
}

void CoordinatorProcess::commit_written(const FinishedCut& cut, bool won) {
  if (!won && !world_.planted(Plant::lost_commit_told_as_done)) return exit(Exit::superseded);
  writing_ = false;
  perform(
      world_.storage_time(), [this, prefix = cut.prefix] { world_.store().remove_before(prefix); }, [] {});
  carry_out(coordinator_->committed(cut.number, Commit{cut.prefix, 0, cut.version, cut.applied}));
}

void CoordinatorProcess::act(const EndProcess&) {
  world_.check_job_done(*this);
  ending_ = true;
  later(world_.random().between(1, 2000) * millisecond, [this] { exit(Exit::succeeded); });
}

}  // namespace carrack::train::simulation
