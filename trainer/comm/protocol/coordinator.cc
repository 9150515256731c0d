// Membership, and from where training goes on. Work is granted in coordinator_work.cc, cuts are in coordinator_cuts.cc
// and, when nobody works, in coordinator_rest.cc.
#include "trainer/comm/protocol/coordinator.h"

#include <algorithm>

#include "trainer/error.h"
#include "trainer/points.h"

namespace carrack::train {

Commands Coordinator::received(PeerId from, const wire::Message& message, Instant now) {
  if (message.has_hello()) {
    admit(from, message.hello(), now);
    return taken();
  }
  const auto found = members_.find(from);
  if (found == members_.end()) return taken();  // It was refused, or has left; what it still says does not count.
  Member& member = found->second;
  member.heard = now;
  const bool server = member.role == wire::PS;
  if (message.has_loaded() && server) loaded(member, message.loaded());
  if (message.has_saved() && server) saved(member, message.saved());
  if (message.has_applied() && server) applied(member, message.applied());
  if (message.has_finished() && !server) finished(from, message.finished());
  if (message.has_leaving() && !server) leaving(from, message.leaving());
  return taken();
}

Commands Coordinator::closed(PeerId peer) {
  leave(peer);
  return taken();
}

Commands Coordinator::tick(Instant now) {
  // The one before this committed all, and its members may have left already: nobody is waited for.
  if (!ended_ && all_committed()) end();
  std::vector<PeerId> silent;
  for (const auto& [peer, member] : members_) {
    if (member.role == wire::WORKER && now - member.heard > voyage_.silence) silent.push_back(peer);
  }
  for (const PeerId peer : silent) {
    leave(peer);
    commands_.push_back(Disconnect{peer});
  }
  if (!workers().empty() || !worked_) worked_ = now;
  if (!at_rest_ && now - *worked_ > voyage_.silence) rest();
  return taken();
}

void Coordinator::admit(PeerId peer, const wire::Hello& hello, Instant now) {
  if (hello.job_uid() != voyage_.job_uid) return refuse(peer, "this is the coordinator of another job", true);
  if (hello.attempt() != voyage_.attempt) {
    return refuse(peer, "this coordinator is of another attempt", hello.attempt() < voyage_.attempt);
  }
  if (hello.role() != wire::PS && hello.role() != wire::WORKER) return refuse(peer, "only ps and worker join", true);
  if (hello.role() == wire::PS && hello.index() >= voyage_.servers) return refuse(peer, "no such ps in this job", true);

  const auto place = std::make_pair(hello.role(), hello.index());
  std::uint32_t& newest = newest_[place];
  if (hello.incarnation() < newest) return refuse(peer, "a newer incarnation has taken this place", true);
  require_same_data(hello);
  for (const auto& [other, member] : std::map(members_)) {
    if (std::make_pair(member.role, member.index) != place) continue;
    leave(other);
    refuse(other, "a newer stream has taken this place", member.incarnation < hello.incarnation());
  }

  const CrashPoint point("coordinator.admit");
  newest = hello.incarnation();
  members_[peer] = Member{hello.role(), hello.index(), hello.incarnation(), hello.address(), now};
  if (ended_) return tell_end(peer);
  if (hello.role() == wire::WORKER) {
    wake();
    assign();
    grant();
    return;
  }
  const wire::Held& held = hello.held();
  shards_[hello.index()] = Shard{peer, held.timeline(), held.version(), held.limit(), runs_from(held.applied()), false};
  decide();
}

// Each start finds the files anew, and batches of other data would count other records.
void Coordinator::require_same_data(const wire::Hello& hello) const {
  const std::string& data = hello.held().data();
  if (data.empty() || data == voyage_.data) return;
  throw Error(Blame::user, "spec.data.train: the data has changed: " +
                               std::string(hello.role() == wire::PS ? "parameter server " : "worker ") +
                               std::to_string(hello.index()) + " has " + data + "; the coordinator has " +
                               voyage_.data + "; give the job back what it began with, or begin another job");
}

void Coordinator::refuse(PeerId peer, const std::string& reason, bool superseded) {
  wire::Message message;
  message.mutable_refused()->set_reason(reason);
  message.mutable_refused()->set_superseded(superseded);
  send(peer, std::move(message));
  commands_.push_back(Disconnect{peer});
}

void Coordinator::leave(PeerId peer) {
  const auto found = members_.find(peer);
  if (found == members_.end()) return;
  const CrashPoint point("coordinator.leave");
  const Member gone = found->second;
  members_.erase(found);
  if (gone.role == wire::PS) {
    shards_.erase(gone.index);
    running_ = false;
    return;
  }
  std::erase_if(granted_, [&](const auto& lease) { return lease.second == peer; });
  assign();
  grant();
}

bool Coordinator::all_servers_here() const {
  return shards_.size() == voyage_.servers;
}

// Called whenever a server has come or has loaded: goes on from what the servers hold if that is whole, else from the
// last commit.
void Coordinator::decide() {
  if (!all_servers_here() || ended_) return;
  const auto loading = [](const auto& shard) { return shard.second.loading; };
  if (std::any_of(shards_.begin(), shards_.end(), loading)) return;
  const std::uint64_t first = shards_.begin()->second.timeline;
  const auto holds = [&](const auto& shard) { return shard.second.timeline != 0; };
  const auto same = [&](const auto& shard) { return shard.second.timeline == first; };
  // In Sync a step is whole on all servers or on none: they go on together, from one timeline, or not at all.
  const bool whole = voyage_.sync ? first != 0 && std::all_of(shards_.begin(), shards_.end(), same)
                                  : std::all_of(shards_.begin(), shards_.end(), holds);
  if (!whole) return start_over();
  if (voyage_.sync) {
    // Another timeline than the one that its cuts were ordered in: a server that was taken for lost has come back.
    if (timeline_ != first) open_.clear();
    timeline_ = first;
  }
  start_running();
}

// In Sync all servers go back to the last commit; in Async those that hold nothing do, and what they lack is granted
// again.
void Coordinator::start_over() {
  const CrashPoint point("coordinator.start_over");
  timeline_ = new_timeline();
  running_ = false;
  open_.clear();
  for (auto& [index, shard] : shards_) {
    if (!voyage_.sync && shard.timeline != 0) continue;
    shard.timeline = 0;
    shard.loading = true;
    wire::Message message;
    message.mutable_load()->set_timeline(timeline_);
    message.mutable_load()->set_manifest(committed_.manifest);
    message.mutable_load()->set_manifest_crc32c(committed_.manifest_crc32c);
    *message.mutable_load()->mutable_applied() = wire_from(committed_.applied);
    message.mutable_load()->set_resumed(committed_.resumed);
    message.mutable_load()->set_data(voyage_.data);
    send(shard.peer, std::move(message));
  }
}

void Coordinator::loaded(const Member& member, const wire::Loaded& message) {
  if (message.timeline() != timeline_) return;
  const CrashPoint point("coordinator.loaded");
  Shard& shard = shards_.at(member.index);
  shard.loading = false;
  shard.timeline = message.timeline();
  shard.version = message.version();
  shard.limit = 0;
  shard.applied = runs_from(message.applied());
  decide();
}

void Coordinator::start_running() {
  const CrashPoint point("coordinator.start_running");
  running_ = true;
  if (!voyage_.sync) {
    // What was acknowledged under the old servers does not count under the new: a new timeline drops it at the workers.
    timeline_ = new_timeline();
    done_ = applied_everywhere();
    granted_.clear();
    open_.clear();
  }
  open_cuts();
  cut_at_rest();
  assign();
  grant();
}

void Coordinator::end() {
  const CrashPoint point("coordinator.end");
  ended_ = true;
  for (const auto& [peer, member] : members_) tell_end(peer);
  commands_.push_back(EndProcess{});
}

void Coordinator::tell_end(PeerId peer) {
  wire::Message message;
  message.mutable_end()->set_exit_code(0);
  send(peer, std::move(message));
}

std::uint64_t Coordinator::batches_done() const {
  if (!voyage_.sync) return done_.count();
  std::uint64_t least = end_of_job();
  for (const auto& [index, shard] : shards_) least = std::min(least, shard.version);
  return all_servers_here() ? least : committed_.version;
}

}  // namespace carrack::train
