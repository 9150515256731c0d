// Limits and cuts: how far training may continue, when servers save, and when a cut is complete and can be committed.
#include <algorithm>

#include "dataloader/check.h"
#include "trainer/checkpoint/manifest.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

// The maximum number of cuts that are not committed yet. With two, training continues while one of them is written.
constexpr std::size_t open_cuts_max = 2;

// The coordinator raises the limit, up to which training may continue, by a lead of about as many batches as are done
// in a second. A larger lead would delay a cut, and a smaller one would cost more messages. The coordinator doubles the
// lead if it lasted less than lead_is_short, and halves it if it lasted more than lead_is_long.
constexpr std::uint64_t lead_min = 2;
constexpr std::uint64_t lead_max = std::uint64_t{1} << 20;
constexpr std::chrono::milliseconds lead_is_short{500};
constexpr std::chrono::seconds lead_is_long{2};

}  // namespace

// Orders the cuts that are due, raises the limit and, in Async, grants batches up to it. Must be called after every
// change of state on which one of these depends.
void Coordinator::go_on() {
  if (!running_ || ended_ || idle_) return;
  while (is_limit_near()) {
    if (is_cut_due()) {
      if (!can_cut()) break;
      order(open_cut(settings_.sync ? limit_ : done_.count()));
      continue;
    }
    // In Async the limit stays until all servers have taken their snapshots for the open cuts. Otherwise a batch after
    // a cut could reach a server before the server takes the snapshot, and the snapshot would contain the batch.
    if (!all_snapshots_agree() || limit_ >= end_of_job() || !can_raise_limit()) break;
    raise_limit();
  }
  grant();
}

bool Coordinator::is_limit_near() const {
  std::uint64_t at = batches_done();
  if (!settings_.sync) {
    for (const PeerId peer : workers()) at += members_.at(peer).leases_max;
  }
  if (limit_ - std::min(at, limit_) <= lead_ / 2) return true;
  // A server of an earlier release learns limits only from cuts, and may have missed the last cut of an earlier
  // coordinator. It then waits at a lower limit than limit_. So another cut is needed, although limit_ is not near.
  return !servers_know_limits() && open_cuts_.empty();
}

// True if a regular cut has to be ordered before the limit is raised.
bool Coordinator::is_cut_due() const {
  if (limit_ <= newest_cut_version()) return false;
  if (limit_ == end_of_job()) return true;
  const std::optional<Instant> newest = newest_cut_time();
  if (newest && now_ - *newest < settings_.cut_interval_min) return false;
  if (settings_.batches_per_cut && limit_ % *settings_.batches_per_cut == 0) return true;
  return settings_.time_per_cut && open_cuts_.size() < open_cuts_max &&
         (!newest || now_ - *newest >= *settings_.time_per_cut);
}

// In Async all servers save the same batches only if every granted batch is done.
bool Coordinator::can_cut() const {
  if (open_cuts_.size() >= open_cuts_max) return false;
  return settings_.sync || (all_snapshots_agree() && leases_.empty() && done_.first_absent(0) >= limit_);
}

// A server of an earlier release learns limits only from cuts. With such a server, raising the limit opens a cut, so
// there must be room for one more.
bool Coordinator::can_raise_limit() const {
  return servers_know_limits() || open_cuts_.size() < open_cuts_max;
}

void Coordinator::raise_limit() {
  CHECK_LT(limit_, end_of_job());
  const CrashPoint point("coordinator.raise_limit");
  std::uint64_t next = std::min(lead_, end_of_job() - limit_) + limit_;
  if (const auto multiple = settings_.batches_per_cut) {
    next = std::min(next, (limit_ / *multiple + 1) * *multiple);
  }
  if (next - limit_ == lead_) {
    if (now_ - limit_raised_ < lead_is_short) lead_ = std::min(lead_ * 2, lead_max);
    if (now_ - limit_raised_ > lead_is_long) lead_ = std::max(lead_ / 2, lead_min);
    limit_raised_ = now_;
  }
  limit_ = next;
  if (!settings_.sync) return;
  if (servers_know_limits()) {
    send_limit(false);
  } else if (limit_ > newest_cut_version()) {
    order(open_cut(limit_));
  }
}

// Sends limit_ to all servers. If `norms` is true, they also report the norms of their last gradients again, because a
// new coordinator does not know them.
void Coordinator::send_limit(bool norms) {
  for (const auto& [index, shard] : shards_) {
    wire::Message message;
    message.mutable_limit()->set_timeline(timeline_);
    message.mutable_limit()->set_version(limit_);
    message.mutable_limit()->set_norms(norms && settings_.clips_by_norm);
    send(shard.peer, std::move(message));
  }
}

// True if no server is of a release without Limit messages. In Async the coordinator sends none, so any server will do.
bool Coordinator::servers_know_limits() const {
  return !settings_.sync || std::all_of(shards_.begin(), shards_.end(), [&](const auto& shard) {
    return members_.at(shard.second.peer).protocol >= 1;
  });
}

// Until this call, the coordinator has set limits and ordered cuts as if the job had no end. No server reaches a
// version beyond the end, so the coordinator drops cuts there, and lowers the limit.
Commands Coordinator::total_known(std::uint64_t batches) {
  if (settings_.total_batches) return take_commands();
  const CrashPoint point("coordinator.total_known");
  settings_.total_batches = batches;
  limit_ = std::min(limit_, batches);
  std::erase_if(open_cuts_, [&](const auto& cut) { return cut.first > batches; });
  go_on();
  return take_commands();
}

Commands Coordinator::stop_early() {
  const CrashPoint point("coordinator.stop_early");
  const std::uint64_t reachable = std::max(limit_, committed_.version);
  settings_.total_batches = std::min(reachable, end_of_job());
  go_on();
  return take_commands();
}

Coordinator::OpenCut& Coordinator::open_cut(std::uint64_t version) {
  CHECK(!open_cuts_.contains(version));
  const CrashPoint point("coordinator.open_cut");
  OpenCut cut;
  cut.number = (std::uint64_t{settings_.incarnation} << 32) | ++cut_count_;
  cut.version = version;
  cut.ordered = now_;
  cut.applied = done_;
  // The prefix contains the coordinator's incarnation and the number of the cut, so it is never used twice.
  cut.prefix = checkpoint::prefix_of(
      {version, settings_.attempts_before + settings_.attempt, settings_.incarnation, cut_count_});
  return open_cuts_[version] = std::move(cut);
}

// Returns nullptr if the cut was dropped, or belongs to another timeline.
Coordinator::OpenCut* Coordinator::find_cut(std::uint64_t timeline, std::uint64_t number) {
  const auto found =
      std::find_if(open_cuts_.begin(), open_cuts_.end(), [&](const auto& cut) { return cut.second.number == number; });
  return found == open_cuts_.end() || timeline != timeline_ ? nullptr : &found->second;
}

std::uint64_t Coordinator::newest_cut_version() const {
  return std::max(committed_.version, open_cuts_.empty() ? 0 : open_cuts_.rbegin()->first);
}

std::optional<Instant> Coordinator::newest_cut_time() const {
  return open_cuts_.empty() ? last_cut_ : open_cuts_.rbegin()->second.ordered;
}

// Sends the cut to the servers that have not saved it yet.
void Coordinator::order(const OpenCut& cut) {
  for (const auto& [index, shard] : shards_) {
    if (cut.saved.contains(index)) continue;
    wire::Message message;
    message.mutable_cut()->set_timeline(timeline_);
    message.mutable_cut()->set_number(cut.number);
    message.mutable_cut()->set_version(cut.version);
    message.mutable_cut()->set_prefix(cut.prefix);
    for (const auto& [version, open] : open_cuts_) message.mutable_cut()->add_open(open.number);
    send(shard.peer, std::move(message));
  }
}

void Coordinator::saved(const Member& member, const wire::Saved& message) {
  OpenCut* cut = find_cut(message.timeline(), message.number());
  if (cut == nullptr) return;
  std::optional<BatchSet> applied = applied_from(message.applied());
  if (!applied)
    return refuse(shards_.at(member.index).peer, "it saved batches that this job cannot have applied", true);
  const CrashPoint point("coordinator.saved");
  cut->saved[member.index] = message;
  // A server of an earlier release sends no Snapshotted, so the coordinator learns only from Saved which batches are in
  // the server's snapshot.
  if (!settings_.sync && !cut->snapshots.contains(member.index)) add_snapshot(*cut, member.index, *std::move(applied));
  commit_if_complete();
}

// Commits the oldest open cut if all servers have saved it. A regular cut also waits until cut_interval_min has passed
// since the last commit.
void Coordinator::commit_if_complete() {
  if (committing_ || open_cuts_.empty()) return;
  const OpenCut& cut = open_cuts_.begin()->second;
  CHECK_LE(cut.saved.size(), settings_.servers);
  if (cut.saved.size() != settings_.servers) return;
  CHECK(settings_.sync || agree(cut));
  const bool is_last = cut.version == end_of_job();
  if (last_commit_ && now_ - *last_commit_ < settings_.cut_interval_min && !cut.idle && !is_last) return;
  const CrashPoint point("coordinator.write_commit");
  committing_ = true;
  last_commit_ = now_;
  FinishedCut finished{cut.number, cut.prefix, cut.version, cut.applied.list(), {}};
  for (const auto& [index, shard] : cut.saved) finished.shards.push_back(shard);
  commands_.push_back(WriteCommit{std::move(finished)});
}

Commands Coordinator::committed(std::uint64_t number, const Commit& commit) {
  CHECK(committing_);
  const CrashPoint point("coordinator.committed");
  committing_ = false;
  committed_ = commit;
  // HEAD, which names the last commit, now names this version. If servers loaded an earlier commit while this one was
  // written, the coordinator has ordered cuts up to this version again, under other numbers. They are not needed any
  // more.
  std::erase_if(open_cuts_, [&](const auto& cut) {
    const bool done = cut.second.number == number || cut.first <= commit.version;
    if (done) last_cut_ = std::max(last_cut_.value_or(cut.second.ordered), cut.second.ordered);
    return done;
  });
  if (all_committed()) {
    end();
    return take_commands();
  }
  if (!running_) start_or_load();
  go_on();
  commit_if_complete();
  return take_commands();
}

}  // namespace carrack::train
