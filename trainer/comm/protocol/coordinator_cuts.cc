// Cuts: when the servers save, under which name, and when what they saved is whole enough to commit.
#include <algorithm>

#include "trainer/checkpoint/manifest.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

// In Sync the next cut is known before the last one is written, so that no server waits for storage.
constexpr std::size_t cuts_ahead = 2;

}  // namespace

Runs Coordinator::applied_everywhere() const {
  Runs everywhere = shards_.begin()->second.applied;
  for (const auto& [index, shard] : shards_) everywhere = intersection(everywhere, shard.applied);
  return everywhere;
}

// Beyond the total if `version` is that of the final cut.
std::uint64_t Coordinator::cut_after(std::uint64_t version) const {
  if (version >= end_of_job()) return end_of_job() + 1;
  return std::min(end_of_job(), (version / voyage_.batches_per_cut + 1) * voyage_.batches_per_cut);
}

// Cuts were ordered as though it went on; no server comes to one that lies behind the end.
Commands Coordinator::total_known(std::uint64_t batches) {
  if (voyage_.total_batches) return taken();
  const CrashPoint point("coordinator.total_known");
  voyage_.total_batches = batches;
  std::erase_if(open_, [&](const auto& cut) { return cut.first > batches; });
  open_cuts();
  return taken();
}

Coordinator::OpenCut& Coordinator::open_cut(std::uint64_t version) {
  const CrashPoint point("coordinator.open_cut");
  OpenCut cut;
  cut.number = (std::uint64_t{voyage_.incarnation} << 32) | ++cuts_;
  cut.version = version;
  // Never used before: the number of the coordinator's own incarnation is in it.
  cut.prefix = checkpoint::prefix_of({version, voyage_.attempt, voyage_.incarnation, cuts_});
  return open_[version] = std::move(cut);
}

void Coordinator::open_cuts() {
  if (!running_ || ended_) return;
  if (voyage_.sync) {
    while (open_.size() < cuts_ahead && next_cut_version() <= end_of_job()) open_cut(next_cut_version());
  } else {
    const std::uint64_t version = cut_after(committed_.version);
    if (!open_.empty() || committing_ || done_.first_absent(0) < version) return;
    open_cut(version);
  }
  for (const auto& [version, cut] : open_) order(cut);
}

// Sync. No server has gone past the last commit or the limit that it was given, whoever was coordinator then.
std::uint64_t Coordinator::next_cut_version() const {
  if (!open_.empty()) return cut_after(open_.rbegin()->second.version);
  std::uint64_t limit = 0;
  for (const auto& [index, shard] : shards_) limit = std::max(limit, shard.limit);
  limit = std::min(limit, end_of_job());  // It was ordered by one who did not know the end.
  return limit > committed_.version ? limit : cut_after(committed_.version);
}

void Coordinator::order(const OpenCut& cut) {
  for (const auto& [index, shard] : shards_) {
    if (cut.saved.contains(index)) continue;
    wire::Message message;
    message.mutable_cut()->set_timeline(timeline_);
    message.mutable_cut()->set_number(cut.number);
    message.mutable_cut()->set_version(cut.version);
    message.mutable_cut()->set_prefix(cut.prefix);
    send(shard.peer, std::move(message));
  }
}

void Coordinator::saved(const Member& member, const wire::Saved& message) {
  const auto found =
      std::find_if(open_.begin(), open_.end(), [&](const auto& cut) { return cut.second.number == message.number(); });
  if (found == open_.end() || message.timeline() != timeline_) return;
  const CrashPoint point("coordinator.saved");
  found->second.saved[member.index] = message;
  commit_if_whole();
}

void Coordinator::commit_if_whole() {
  if (committing_ || open_.empty()) return;
  const OpenCut& cut = open_.begin()->second;
  if (cut.saved.size() != voyage_.servers) return;
  if (!is_what_is_done(cut)) return believe_what_is_saved(cut);
  committing_ = true;
  FinishedCut finished{cut.number, cut.prefix, cut.version, done_.list(), {}};
  for (const auto& [index, shard] : cut.saved) finished.shards.push_back(shard);
  commands_.push_back(WriteCommit{std::move(finished)});
}

Commands Coordinator::committed(std::uint64_t number, const Commit& commit) {
  const CrashPoint point("coordinator.committed");
  committing_ = false;
  committed_ = commit;
  // Servers that went back to an earlier commit meanwhile may be on their way to this cut a second time.
  std::erase_if(open_, [&](const auto& cut) { return cut.second.number == number || cut.first <= commit.version; });
  if (all_committed()) {
    end();
    return taken();
  }
  open_cuts();
  grant();
  commit_if_whole();
  return taken();
}

}  // namespace carrack::train
