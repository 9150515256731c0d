// Who computes what: lanes of every batch in Sync, leases of whole batches in Async.
#include <algorithm>
#include <cmath>

#include "trainer/comm/protocol/coordinator.h"
#include "trainer/comm/protocol/diverged.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

// One batch in hand and one to go on with, so that a worker never waits for the coordinator.
constexpr std::size_t leases_per_worker = 2;

}  // namespace

std::vector<PeerId> Coordinator::workers() const {
  std::vector<std::pair<std::uint32_t, PeerId>> by_index;
  for (const auto& [peer, member] : members_) {
    if (member.role == wire::WORKER) by_index.emplace_back(member.index, peer);
  }
  std::sort(by_index.begin(), by_index.end());
  std::vector<PeerId> peers;
  for (const auto& [index, peer] : by_index) peers.push_back(peer);
  return peers;
}

// Tells every worker who serves, and in Sync which contiguous run of lanes is its own.
void Coordinator::assign() {
  if (!running_ || ended_) return;
  const CrashPoint point("coordinator.assign");
  const std::vector<PeerId> all = workers();
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    wire::Message message;
    wire::Assignment& assignment = *message.mutable_assignment();
    assignment.set_timeline(timeline_);
    assignment.set_total_batches(voyage_.total_batches.value_or(0));
    const auto first = static_cast<std::uint32_t>(voyage_.lanes * i / all.size());
    const auto end = static_cast<std::uint32_t>(voyage_.lanes * (i + 1) / all.size());
    assignment.set_first_lane(first);
    assignment.set_lane_count(end - first);
    for (const auto& [index, shard] : shards_) {
      const Member& member = members_.at(shard.peer);
      wire::Server& server = *assignment.add_servers();
      server.set_index(index);
      server.set_incarnation(member.incarnation);
      server.set_address(member.address);
    }
    send(all[i], std::move(message));
  }
}

void Coordinator::grant() {
  if (voyage_.sync || !running_ || ended_) return;
  const CrashPoint point("coordinator.grant");
  std::map<PeerId, std::size_t> leases;
  for (const auto& [batch, peer] : granted_) ++leases[peer];
  // What was granted once may reach a server at any time, from a worker that was taken for dead. Nothing past the next
  // cut is granted before HEAD names that cut, by whatever coordinator: so no server holds more than it when it saves.
  const std::uint64_t end = std::min(end_of_job(), cut_after(committed_.version));
  std::uint64_t next = 0;
  const std::vector<PeerId> all = workers();
  for (std::size_t depth = 1; depth <= leases_per_worker; ++depth) {
    for (const PeerId peer : all) {
      if (leases[peer] >= depth) continue;
      next = done_.first_absent(next);
      while (granted_.contains(next)) next = done_.first_absent(next + 1);
      if (next >= end) return;
      ++leases[peer];
      granted_[next] = peer;
      wire::Message message;
      message.mutable_grant()->set_timeline(timeline_);
      message.mutable_grant()->add_batches(next);
      send(peer, std::move(message));
    }
  }
}

void Coordinator::finished(PeerId peer, const wire::Finished& message) {
  const auto lease = granted_.find(message.batch());
  // A lease that passed to another worker is that worker's to report.
  if (message.timeline() != timeline_ || lease == granted_.end() || lease->second != peer) return;
  const CrashPoint point("coordinator.finished");
  granted_.erase(lease);
  done_.add(message.batch());
  for (auto& [index, shard] : shards_) shard.applied.add(message.batch());
  take_loss(message.loss(), message.records(), message.batch() + 1);
  open_cuts();
  grant();
}

// `step` counts from 1.
void Coordinator::take_loss(double sum, std::uint64_t records, std::uint64_t step) {
  if (!std::isfinite(sum)) {
    throw diverged("the loss of step " + std::to_string(step) + " is " + (std::isnan(sum) ? "nan" : "inf"));
  }
  last_loss_ = records == 0 ? 0 : sum / static_cast<double>(records);
}

void Coordinator::applied(const Member& member, const wire::Applied& message) {
  const auto found = shards_.find(member.index);
  if (found == shards_.end() || message.timeline() != found->second.timeline) return;  // Or it came after the end.
  Shard& shard = found->second;
  const CrashPoint point("coordinator.applied");
  take_loss(message.loss(), message.records(), message.batch());
  if (message.batch() <= shard.version) return;
  shard.version = message.batch();
  // Some worker is at it that is not in, or has just died.
  worked_.reset();
  wake();
}

}  // namespace carrack::train
