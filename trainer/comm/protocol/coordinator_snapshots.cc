// The part of the coordinator for a cut in Async. Each server takes a snapshot when it receives the cut, and then saves
// the snapshot. The coordinator grants batches again before the servers have saved, as soon as all snapshots hold
// exactly the batches that it counted as done.
#include <algorithm>

#include "dataloader/check.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/points.h"

namespace carrack::train {

BatchSet Coordinator::applied_everywhere() const {
  CHECK(!shards_.empty());
  BatchSet everywhere = shards_.begin()->second.applied;
  for (const auto& [index, shard] : shards_) everywhere = intersection(everywhere, shard.applied);
  return everywhere;
}

// Counts the batches that all servers hold as done. Batches that only some servers have applied are granted again, so
// the limit must be beyond them: when all batches below the limit are done, all servers have the same ones.
void Coordinator::count_what_servers_hold() {
  done_ = applied_everywhere();
  for (const auto& [index, shard] : shards_) limit_ = std::max(limit_, shard.applied.upper_bound());
}

void Coordinator::snapshotted(const Member& member, const wire::Snapshotted& message) {
  OpenCut* cut = find_cut(message.timeline(), message.number());
  if (cut == nullptr || settings_.sync) return;
  std::optional<BatchSet> applied = applied_from(message.applied());
  if (!applied)
    return refuse(shards_.at(member.index).peer, "it saves batches that this job cannot have applied", true);
  const CrashPoint point("coordinator.snapshotted");
  add_snapshot(*cut, member.index, *std::move(applied));
}

void Coordinator::add_snapshot(OpenCut& cut, std::uint32_t server, BatchSet applied) {
  cut.snapshots[server] = std::move(applied);
  if (cut.snapshots.size() != settings_.servers) return;
  if (!agree(cut)) return adopt_snapshots(cut);
  go_on();
}

// A cut is committed only if all servers have saved the same batches, so that each batch counts once on every server.
bool Coordinator::agree(const OpenCut& cut) const {
  return cut.snapshots.size() == settings_.servers &&
         std::all_of(cut.snapshots.begin(), cut.snapshots.end(),
                     [&](const auto& snapshot) { return snapshot.second == cut.applied; });
}

bool Coordinator::all_snapshots_agree() const {
  return settings_.sync ||
         std::all_of(open_cuts_.begin(), open_cuts_.end(), [&](const auto& cut) { return agree(cut.second); });
}

// Called when the servers hold other batches than the coordinator counted. A worker that was considered lost may have
// pushed since, or an earlier coordinator may have granted more. The coordinator adopts what the servers hold, drops
// the cut, and orders another one once all servers hold the same batches.
void Coordinator::adopt_snapshots(OpenCut cut) {
  const CrashPoint point("coordinator.adopt_snapshots");
  open_cuts_.erase(cut.version);
  if (!running_) return;  // each server reports what it holds when it joins or has loaded
  for (const auto& [index, applied] : cut.snapshots) shards_.at(index).applied = applied;
  count_what_servers_hold();
  servers_disagree_ = !servers_agree();
  if (!servers_disagree_) order_idle_cut();
  go_on();
}

}  // namespace carrack::train
