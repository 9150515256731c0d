// The part of the coordinator for an idle job: its workers have left on request, or there has been no worker for a
// while. The coordinator then orders an extra cut, so that the servers save what they hold now and it can be committed.
// Regular cuts that are already ordered stay open until workers have computed as far.
#include <algorithm>

#include "dataloader/check.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/error.h"
#include "trainer/points.h"

namespace carrack::train {

bool Coordinator::drained() const {
  // Nothing can be committed in two cases. Either the servers hold different steps, which only a worker can complete.
  // Or they hold no more than the last commit (less, if they loaded an earlier commit while the last one was written).
  return running_ && workers().empty() && ((idle_ && servers_disagree_) || batches_done() <= committed_.version);
}

bool Coordinator::is_draining() const {
  return running_ && workers().empty() && !drained();
}

void Coordinator::leaving(PeerId peer, const wire::Leaving& message) {
  if (message.timeline() == timeline_ && message.version() > limit_) {
    return refuse(peer, "it has seen a version beyond the limit of the servers", false);
  }
  const CrashPoint point("coordinator.leaving");
  // The worker has seen this version on every server, but the servers' own messages about it may not have arrived yet.
  for (auto& [index, shard] : shards_) {
    if (shard.timeline == message.timeline()) shard.version = std::max(shard.version, message.version());
  }
  remove_member(peer);
  // If the servers differ, a message from one of them may still be under way. tick() then enters the idle state later.
  if (workers().empty() && (!settings_.sync || servers_agree())) enter_idle();
}

void Coordinator::enter_idle() {
  const CrashPoint point("coordinator.enter_idle");
  idle_ = true;
  order_idle_cut();
}

void Coordinator::leave_idle() {
  if (!idle_) return;
  const CrashPoint point("coordinator.leave_idle");
  idle_ = false;
  drop_idle_cuts(std::nullopt);
  go_on();
}

// Drops the idle cuts, except the cut of `except_version`. Once a worker computes again, a server may apply more than
// the version of an idle cut before it receives the cut. It would then never save that cut, and all later cuts would
// wait for it.
void Coordinator::drop_idle_cuts(std::optional<std::uint64_t> except_version) {
  std::erase_if(open_cuts_, [&](const auto& cut) { return cut.second.idle && cut.first != except_version; });
}

void Coordinator::order_idle_cut() {
  if (!idle_ || !running_ || ended_) return;
  servers_disagree_ = settings_.sync && !servers_agree();  // In Async the snapshots of the cut show whether they agree.
  if (servers_disagree_) return;
  const std::uint64_t version = batches_done();
  drop_idle_cuts(version);
  if (version <= committed_.version || open_cuts_.contains(version)) return;
  OpenCut& cut = open_cut(version);
  cut.idle = true;
  order(cut);
}

// False if only some servers have applied a step or a batch, because a worker died in between or a server loaded an
// earlier commit. Only a worker can complete that step, so nothing is committed until one joins.
bool Coordinator::servers_agree() const {
  const auto differ = [&](const auto& left, const auto& right) {
    return settings_.sync ? left.second.version != right.second.version : left.second.applied != right.second.applied;
  };
  return std::adjacent_find(shards_.begin(), shards_.end(), differ) == shards_.end();
}

}  // namespace carrack::train
