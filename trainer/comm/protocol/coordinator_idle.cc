// A job at rest: its workers have left, as they were asked to, or none has been in for a while. What the servers hold
// is then cut as it is and committed, between the regular cuts, which stay ordered for when somebody works again.
#include <algorithm>

#include "trainer/comm/protocol/coordinator.h"
#include "trainer/error.h"
#include "trainer/points.h"

namespace carrack::train {

bool Coordinator::drained() const {
  // Below it are servers that went back while it was being committed.
  return running_ && workers().empty() && ((at_rest_ && torn_) || batches_done() <= committed_.version);
}

void Coordinator::leaving(PeerId peer, const wire::Leaving& message) {
  const CrashPoint point("coordinator.leaving");
  // It has seen these steps on every server; their own word for it may still be under way.
  for (auto& [index, shard] : shards_) {
    if (shard.timeline == message.timeline()) shard.version = std::max(shard.version, message.version());
  }
  leave(peer);
  // Else the news of a step may be under way from a server, and there will be time enough to wait for it.
  if (workers().empty() && (!voyage_.sync || servers_agree())) rest();
}

void Coordinator::rest() {
  const CrashPoint point("coordinator.rest");
  at_rest_ = true;
  cut_at_rest();
}

void Coordinator::wake() {
  if (!at_rest_) return;
  const CrashPoint point("coordinator.wake");
  at_rest_ = false;
  drop_cut_at_rest(std::nullopt);
  open_cuts();  // It may have been where a regular one is due.
}

// A server may be past a version before it hears of a cut there, and then never saves it, and others wait behind it.
void Coordinator::drop_cut_at_rest(std::optional<std::uint64_t> unless_at) {
  std::erase_if(open_, [&](const auto& cut) { return cut.second.at_rest && cut.first != unless_at; });
}

void Coordinator::cut_at_rest() {
  if (!at_rest_ || !running_ || ended_) return;
  torn_ = voyage_.sync && !servers_agree();  // In Async it shows in what they save.
  if (torn_) return;
  const std::uint64_t version = batches_done();
  drop_cut_at_rest(version);
  if (version <= committed_.version || open_.contains(version)) return;
  OpenCut& cut = open_cut(version);
  cut.at_rest = true;
  order(cut);
}

// Else a step or a batch has reached some of them alone, as a worker died or a server has gone back. Only a worker can
// mend that; the last commit stands until one comes.
bool Coordinator::servers_agree() const {
  const auto differ = [&](const auto& left, const auto& right) {
    return voyage_.sync ? left.second.version != right.second.version : left.second.applied != right.second.applied;
  };
  return std::adjacent_find(shards_.begin(), shards_.end(), differ) == shards_.end();
}

// In Async a server saves whatever it has when it hears of the cut, and who was taken for dead may have pushed to it.
bool Coordinator::is_what_is_done(const OpenCut& cut) const {
  return voyage_.sync || std::all_of(cut.saved.begin(), cut.saved.end(),
                                     [&](const auto& saved) { return runs_from(saved.second.applied()) == done_; });
}

void Coordinator::believe_what_is_saved(OpenCut cut) {
  // Before a regular cut all that was granted is done, so nothing can have come after.
  if (!cut.at_rest) throw Error(Blame::bug, cut.prefix + " was saved with other batches than were done");
  const CrashPoint point("coordinator.believe_what_is_saved");
  open_.erase(cut.version);
  if (!running_) return;  // They tell what they hold when they come back.
  for (const auto& [index, saved] : cut.saved) shards_.at(index).applied = runs_from(saved.applied());
  done_ = applied_everywhere();
  torn_ = !servers_agree();
  if (!torn_) cut_at_rest();
}

}  // namespace carrack::train
