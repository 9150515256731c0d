// Assigns work to workers: lanes of every batch in Sync, leases of whole batches in Async.
#include <algorithm>
#include <cmath>

#include "dataloader/check.h"
#include "trainer/comm/protocol/coordinator.h"
#include "trainer/comm/protocol/diverged.h"
#include "trainer/points.h"

namespace carrack::train {
std::vector<PeerId> Coordinator::workers() const {
  std::vector<std::pair<std::uint32_t, PeerId>> by_index;
  for (const auto& [peer, member] : members_) {
    if (member.role == MemberRole::worker) by_index.emplace_back(member.index, peer);
  }
  std::sort(by_index.begin(), by_index.end());
  std::vector<PeerId> peers;
  for (const auto& [index, peer] : by_index) peers.push_back(peer);
  return peers;
}

// Sends assignments to the workers whose assignment has changed because a worker has joined or left. In Sync that is
// all of them, because they share the lanes. In Async an assignment does not depend on the other workers, so it is only
// the worker that has joined, if one has.
void Coordinator::assign_after_change(std::optional<PeerId> joined) {
  if (settings_.sync) return assign(workers());
  if (joined) assign({*joined});
}

// Sends these workers the addresses of the servers. In Sync they must be all workers, and each gets neighbouring
// lanes, its share of every batch.
void Coordinator::assign(const std::vector<PeerId>& to) {
  if (!running_ || ended_) return;
  const CrashPoint point("coordinator.assign");
  ++assignment_count_;
  wire::Message message;
  wire::Assignment& assignment = *message.mutable_assignment();
  assignment.set_timeline(timeline_);
  assignment.set_total_batches(settings_.total_batches.value_or(0));
  assignment.set_number((std::uint64_t{settings_.incarnation} << 32) | assignment_count_);
  for (const auto& [index, shard] : shards_) {
    CHECK(members_.contains(shard.peer));
    const Member& member = members_.at(shard.peer);
    wire::Server& server = *assignment.add_servers();
    server.set_index(index);
    server.set_incarnation(member.incarnation);
    server.set_address(member.address);
  }
  for (std::uint64_t i = 0; i < to.size(); ++i) {
    if (settings_.sync) members_.at(to[i]).has_lanes = set_lanes(assignment, i, to.size());
    send(to[i], message);
  }
}

// Sync: divides the lanes of a batch evenly among `workers` workers, and sets those of worker number `i`. Returns false
// if that worker gets none, as when there are more workers than lanes.
bool Coordinator::set_lanes(wire::Assignment& assignment, std::uint64_t i, std::uint64_t workers) const {
  const bool dealt = settings_.lanes_dealt != 0 && all_know_dealt_lanes();
  const std::uint64_t lanes = dealt ? settings_.lanes_dealt : settings_.lanes;
  const auto first = static_cast<std::uint32_t>(lanes * i / workers);
  const auto end = static_cast<std::uint32_t>(lanes * (i + 1) / workers);
  if (dealt) assignment.set_lanes(settings_.lanes_dealt);
  assignment.set_first_lane(first);
  assignment.set_lane_count(end - first);
  return end > first;
}

// True if no member is of a release without Assignment.lanes, with which workers send one sum over all of their lanes.
bool Coordinator::all_know_dealt_lanes() const {
  return std::all_of(members_.begin(), members_.end(), [](const auto& member) { return member.second.protocol >= 1; });
}

// Async: grants batches below the limit until each worker has as many leases as it can have.
void Coordinator::grant() {
  if (settings_.sync || !running_ || ended_) return;
  const CrashPoint point("coordinator.grant");
  std::map<PeerId, std::size_t> leases;  // by worker
  for (const auto& [batch, peer] : leases_) {
    CHECK(members_.contains(peer));
    ++leases[peer];
  }
  std::uint64_t next = 0;
  const std::vector<PeerId> all = workers();
  std::size_t most = 0;
  for (const PeerId peer : all) most = std::max(most, members_.at(peer).leases_max);
  // Every worker gets its first lease before any worker gets its second, so that all finish at about the same time.
  for (std::size_t depth = 1; depth <= most; ++depth) {
    for (const PeerId peer : all) {
      if (leases[peer] >= depth || members_.at(peer).leases_max < depth) continue;
      const std::optional<std::uint64_t> batch = next_to_grant(next);
      if (!batch) return;
      next = *batch;
      ++leases[peer];
      leases_[next] = peer;
      wire::Message message;
      message.mutable_grant()->set_timeline(timeline_);
      message.mutable_grant()->add_batches(next);
      send(peer, std::move(message));
    }
  }
}

// Returns the first batch from `from` on that is neither done nor leased; nullopt if it must not be granted yet.
std::optional<std::uint64_t> Coordinator::next_to_grant(std::uint64_t from) const {
  std::uint64_t batch = done_.first_absent(from);
  while (leases_.contains(batch)) batch = done_.first_absent(batch + 1);
  if (batch >= limit_) return std::nullopt;
  CHECK(!done_.contains(batch));
  const std::optional<std::uint64_t>& ahead_max = settings_.batches_ahead_max;
  if (ahead_max && batch - done_.first_absent(0) > *ahead_max) return std::nullopt;
  return batch;
}

void Coordinator::finished(PeerId peer, const wire::Finished& message) {
  const auto lease = leases_.find(message.batch());
  // If another worker has the lease by now, that worker reports the batch.
  if (message.timeline() != timeline_ || lease == leases_.end() || lease->second != peer) return;
  const CrashPoint point("coordinator.finished");
  leases_.erase(lease);
  CHECK(members_.contains(peer));
  members_.at(peer).finished_last = now_;
  done_.add(message.batch());
  for (auto& [index, shard] : shards_) shard.applied.add(message.batch());
  record_loss(message.loss(), message.records(), message.batch() + 1);
  staleness_[members_.at(peer).index].add(message.staleness());
  go_on();
}

// `sum` is the loss, summed over the records of the step. `step` counts from 1 and is used only for the message.
void Coordinator::record_loss(double sum, std::uint64_t records, std::uint64_t step) {
  if (!std::isfinite(sum)) {
    throw diverged("the loss of step " + std::to_string(step) + " is " + (std::isnan(sum) ? "nan" : "inf"));
  }
  if (records > 0) last_loss_ = sum / static_cast<double>(records);
  loss_totals_.sum += sum;
  loss_totals_.records += records;
}

void Coordinator::applied(const Member& member, const wire::Applied& message) {
  const auto found = shards_.find(member.index);
  // A server that joined after the end of the job has no entry, and steps of another timeline do not count.
  if (found == shards_.end() || message.timeline() != found->second.timeline) return;
  Shard& shard = found->second;
  if (message.timeline() == timeline_ && message.batch() > limit_) {
    return refuse(shard.peer, "it has applied a step beyond its limit", false);
  }
  const CrashPoint point("coordinator.applied");
  record_loss(message.loss(), message.records(), message.batch());
  if (message.batch() <= shard.version) return;
  shard.version = message.batch();
  // A worker that is not connected may have computed the step, so the time without workers starts again.
  last_worked_.reset();
  leave_idle();
  go_on();
}

// Stores the squares of the gradient of a step that a server has reported. Once all servers have reported the step,
// sends them the total. The squares are added block by block (of parameters), so the total does not depend on how
// blocks are divided among servers.
void Coordinator::add_norm(const Member& member, const wire::Norm& message) {
  const auto found = shards_.find(member.index);
  if (!settings_.clips_by_norm || found == shards_.end() || message.timeline() != timeline_) return;
  const std::uint64_t version = message.version();
  if (version > limit_) return refuse(found->second.peer, "it has the norm of a step beyond its limit", false);
  const CrashPoint point("coordinator.add_norm");
  norms_[version][member.index].assign(message.squares().begin(), message.squares().end());
  // Servers are at most one step apart, so no server waits for the norm of an older step.
  std::erase_if(norms_, [&](const auto& norm) { return norm.first + 1 < norms_.rbegin()->first; });
  const auto complete = norms_.find(version);
  if (complete == norms_.end() || complete->second.size() != settings_.servers) return;
  double total = 0;
  for (const auto& [server, squares] : complete->second) {
    for (const double one : squares) total += one;
  }
  norms_.erase(complete);
  for (const auto& [index, shard] : shards_) {
    wire::Message answer;
    answer.mutable_norm_total()->set_timeline(timeline_);
    answer.mutable_norm_total()->set_version(version);
    answer.mutable_norm_total()->set_squares(total);
    send(shard.peer, std::move(answer));
  }
}

}  // namespace carrack::train
