// Cuts: when the servers save, under which name, and when a cut is complete, so that it can be committed.
#include <algorithm>

#include "dataloader/check.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

// In Sync the next cut is ordered before the last one is written, so that no server waits for storage.
constexpr std::size_t cuts_ahead = 2;

}  // namespace

Runs Coordinator::applied_everywhere() const {
  CHECK(!shards_.empty());
  Runs everywhere = shards_.begin()->second.applied;
  for (const auto& [index, shard] : shards_) everywhere = intersection(everywhere, shard.applied);
  return everywhere;
}

// The version of the regular cut after `version`; past the end of the job if `version` is that of the last cut.
std::uint64_t Coordinator::cut_after(std::uint64_t version) const {
  if (version >= end_of_job()) return end_of_job() + 1;
  return std::min(end_of_job(), (version / settings_.batches_per_cut + 1) * settings_.batches_per_cut);
}

// Until now cuts were ordered as if the job had no end. Those after the end are dropped, as no server reaches them.
Commands Coordinator::total_known(std::uint64_t batches) {
  if (settings_.total_batches) return take_commands();
  const CrashPoint point("coordinator.total_known");
  settings_.total_batches = batches;
  std::erase_if(open_cuts_, [&](const auto& cut) { return cut.first > batches; });
  order_next_cuts();
  return take_commands();
}

Coordinator::OpenCut& Coordinator::open_cut(std::uint64_t version) {
  CHECK(!open_cuts_.contains(version));
  const CrashPoint point("coordinator.open_cut");
  OpenCut cut;
  cut.number = (std::uint64_t{settings_.incarnation} << 32) | ++cut_count_;
  cut.version = version;
  // A prefix is never used twice: it has the coordinator's incarnation in it.
  cut.prefix = checkpoint::prefix_of({version, settings_.attempt, settings_.incarnation, cut_count_});
  return open_cuts_[version] = std::move(cut);
}

void Coordinator::order_next_cuts() {
  if (!running_ || ended_) return;
  if (settings_.sync) {
    while (open_cuts_.size() < cuts_ahead && next_cut_version() <= end_of_job()) open_cut(next_cut_version());
  } else {
    const std::uint64_t version = cut_after(committed_.version);
    if (!open_cuts_.empty() || committing_ || done_.first_absent(0) < version) return;
    open_cut(version);
  }
  for (const auto& [version, cut] : open_cuts_) order(cut);
}

// Sync. No server has gone past both the last commit and the limit that this coordinator or an earlier one gave it.
std::uint64_t Coordinator::next_cut_version() const {
  if (!open_cuts_.empty()) return cut_after(open_cuts_.rbegin()->second.version);
  std::uint64_t limit = 0;
  for (const auto& [index, shard] : shards_) limit = std::max(limit, shard.limit);
  limit = std::min(limit, end_of_job());  // An earlier coordinator that did not know the end may have ordered it.
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
  const auto found = std::find_if(open_cuts_.begin(), open_cuts_.end(),
                                  [&](const auto& cut) { return cut.second.number == message.number(); });
  if (found == open_cuts_.end() || message.timeline() != timeline_) return;
  std::optional<Runs> applied = applied_from(message.applied());
  if (!applied)
    return refuse(shards_.at(member.index).peer, "it saved batches that this job cannot have applied", true);
  const CrashPoint point("coordinator.saved");
  found->second.saved[member.index] = SavedShard{message, *std::move(applied)};
  commit_if_complete();
}

void Coordinator::commit_if_complete() {
  if (committing_ || open_cuts_.empty()) return;
  const OpenCut& cut = open_cuts_.begin()->second;
  CHECK_LE(cut.saved.size(), settings_.servers);
  if (cut.saved.size() != settings_.servers) return;
  if (!saved_what_is_done(cut)) return adopt_saved_state(cut);
  committing_ = true;
  FinishedCut finished{cut.number, cut.prefix, cut.version, done_.list(), {}};
  for (const auto& [index, shard] : cut.saved) finished.shards.push_back(shard.message);
  commands_.push_back(WriteCommit{std::move(finished)});
}

Commands Coordinator::committed(std::uint64_t number, const Commit& commit) {
  CHECK(committing_);
  const CrashPoint point("coordinator.committed");
  committing_ = false;
  committed_ = commit;
  // HEAD now has this version. If servers loaded an earlier commit while this one was written, cuts up to this version
  // have been ordered again under other numbers; they are not needed any more.
  std::erase_if(open_cuts_,
                [&](const auto& cut) { return cut.second.number == number || cut.first <= commit.version; });
  if (all_committed()) {
    end();
    return take_commands();
  }
  order_next_cuts();
  grant();
  commit_if_complete();
  return take_commands();
}

}  // namespace carrack::train
