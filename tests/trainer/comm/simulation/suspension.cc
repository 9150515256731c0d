// The operator's part in a suspension: it tells the workers to leave, waits for a limited time until the coordinator
// says that all is committed, and ends the others. When the suspension is taken back, members start again.
#include "tests/trainer/comm/simulation/world.h"
#include "trainer/comm/protocol/wire_runs.h"

namespace carrack::train::simulation {
namespace {

constexpr Time drain_within = 30 * second;
// Counted from the last fault: a member is replaced, streams are opened again, storage may be slow.
constexpr Time drain_within_of_harm = 20 * second;

}  // namespace

void World::suspend() {
  if (finished_at_) return;
  ++stats_.suspensions;
  suspended_ = true;
  drain_by_ = schedule_.now() + drain_within;
  for (auto& [place, slot] : slots_) slot.newest->ask_to_leave();
  look_whether_drained();
  schedule_.after(weather_.resumed_after, [this] { resume(); });
}

void World::look_whether_drained() {
  if (!suspended_ || stopped_ || finished_at_) return;
  const Process* told = coordinator();
  if (told != nullptr && !told->paused() && told->tells_drained()) {
    ++stats_.drained;
    check_drained();
    return stop();
  }
  if (schedule_.now() >= drain_by_) {
    if (must_have_drained()) violate("nothing went wrong, and the job is not drained");
    return stop();
  }
  schedule_.after(random_.between(20, 200) * millisecond, [this] { look_whether_drained(); });
}

void World::check_drained() {
  const std::uint64_t committed = store_.commit_of(store_.head().manifest).version;
  const std::uint64_t done = done_on_all_servers();
  if (job_.sync && left_in_order_at_ && !servers_agree())
    violate("the last worker left in order, and a server is ahead");
  if (committed >= done || !must_have_drained()) return;
  violate("nothing went wrong, and the job is drained at " + std::to_string(committed) + " with " +
          std::to_string(done) + " done");
}

// There may be uncommitted work after an earlier fault: a push of a worker that died may have reached only one server,
// and then only a worker could complete it. There is none if all servers hold the same, or in Sync if the last worker
// left in order and so has completed it. A worker that the operator cannot reach may stay for ever.
bool World::must_have_drained() const {
  if (!harmed_at_) return true;
  if (schedule_.now() < *harmed_at_ + drain_within_of_harm || worker_lives(nullptr)) return false;
  return servers_agree() ||
         (job_.sync && left_in_order_at_ && schedule_.now() > *left_in_order_at_ + drain_within_of_harm);
}

// Except for servers that have just started and hold nothing.
bool World::servers_agree() const {
  std::vector<wire::Held> all = held();
  std::erase_if(all, [](const wire::Held& one) { return one.timeline() == 0; });
  return std::all_of(all.begin(), all.end(), [&](const wire::Held& one) {
    return one.version() == all[0].version() && runs_from(one.applied()) == runs_from(all[0].applied());
  });
}

bool World::worker_lives(const Process* besides) const {
  return std::any_of(processes_.begin(), processes_.end(), [&](const auto& process) {
    return process->place().role == wire::WORKER && !process->ended() && process.get() != besides;
  });
}

// The process of one that has left in order may end after another has left late.
void World::left(const Process& worker) {
  const bool in_order = !left_late_at_ || worker.left_at() > *left_late_at_;
  if (!worker_lives(&worker) && in_order) left_in_order_at_ = schedule_.now();
}

void World::left_late() {
  left_late_at_ = schedule_.now();
  harm();
}

void World::harm() {
  harmed_at_ = schedule_.now();
  left_in_order_at_.reset();
}

std::vector<wire::Held> World::held() const {
  std::vector<wire::Held> all;
  for (const auto& [place, slot] : slots_) {
    if (const auto held = slot.newest->holds()) all.push_back(*held);
  }
  return all;
}

std::uint64_t World::done_on_all_servers() const {
  std::uint64_t least = job_.total_batches();
  std::optional<BatchSet> everywhere;
  for (const wire::Held& held : held()) {
    least = std::min(least, held.version());
    const BatchSet applied = runs_from(held.applied()).value();
    everywhere = everywhere ? intersection(*everywhere, applied) : applied;
  }
  return job_.sync ? least : everywhere->count();
}

void World::stop() {
  stopped_ = true;
  for (auto& [place, slot] : slots_) {
    if (!slot.newest->paused()) slot.newest->kill();
  }
}

void World::resume() {
  if (finished_at_) return;
  const bool all = std::exchange(stopped_, false);
  suspended_ = false;
  for (auto& [place, slot] : slots_) {
    if (all || place.role == wire::WORKER) start(place);
  }
}

}  // namespace carrack::train::simulation
