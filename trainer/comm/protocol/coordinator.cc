// The members of the job, and the state from which training continues.
#include "trainer/comm/protocol/coordinator.h"

#include <algorithm>

#include "dataloader/check.h"
#include "trainer/comm/protocol/frame.h"
#include "trainer/error.h"
#include "trainer/points.h"

namespace carrack::train {

namespace {

// Async: the minimum number of leases (granted batches) of a worker. With two, a worker always has the next batch when
// it finishes one, so it never waits for the coordinator.
constexpr std::uint32_t leases_min = 2;
// The maximum number of leases of a worker. Before a cut (a save of all servers) the coordinator waits until all leases
// are finished. When a worker is lost, other workers compute its leases again. More leases would make both take longer.
constexpr std::uint32_t leases_max = 8;

// The maximum number of leases of all workers together. A lease that is not applied yet may leave a gap in the numbers
// of the batches that a server has applied, and a message can list only a limited number of gaps (wire_runs_max).
constexpr std::uint32_t leases_of_job = 2000;

std::size_t leases_for(std::uint32_t wanted, std::uint32_t workers_max) {
  const std::uint32_t share = std::clamp(leases_of_job / std::max(workers_max, 1u), leases_min, leases_max);
  return std::clamp(wanted, leases_min, share);
}

}  // namespace

// Returns nullopt for the roles that do not join a coordinator.
std::optional<Coordinator::MemberRole> Coordinator::member_role_from(wire::Role role) {
  switch (role) {
    case wire::PS:
      return MemberRole::server;
    case wire::WORKER:
      return MemberRole::worker;
    case wire::COORDINATOR:
    case wire::Role_INT_MIN_SENTINEL_DO_NOT_USE_:
    case wire::Role_INT_MAX_SENTINEL_DO_NOT_USE_:
      return std::nullopt;
  }
  return std::nullopt;
}

Commands Coordinator::received(PeerId from, const wire::Message& message, Instant now) {
  now_ = now;
  if (message.has_hello()) {
    admit(from, message.hello(), now);
    return take_commands();
  }
  const auto found = members_.find(from);
  if (found == members_.end()) return take_commands();  // the peer was refused or has left
  Member& member = found->second;
  member.last_heard = now;
  switch (member.role) {
    case MemberRole::server:
      received_from_server(member, message);
      break;
    case MemberRole::worker:
      received_from_worker(from, message);
      break;
  }
  return take_commands();
}

void Coordinator::received_from_server(const Member& member, const wire::Message& message) {
  if (message.has_loaded()) loaded(member, message.loaded());
  if (message.has_snapshotted()) snapshotted(member, message.snapshotted());
  if (message.has_saved()) saved(member, message.saved());
  if (message.has_applied()) applied(member, message.applied());
  if (message.has_norm()) add_norm(member, message.norm());
}

void Coordinator::received_from_worker(PeerId peer, const wire::Message& message) {
  if (message.has_finished()) finished(peer, message.finished());
  if (message.has_leaving()) leaving(peer, message.leaving());
  if (message.has_alive()) alive(members_.at(peer), message.alive());
}

Commands Coordinator::closed(PeerId peer) {
  remove_member(peer);
  return take_commands();
}

Commands Coordinator::tick(Instant now) {
  now_ = now;
  note_standstill();
  // An earlier coordinator process may have made the last commit of the job, and members may have left since. So the
  // job ends now, and does not wait until all members are connected.
  if (!ended_ && all_committed()) end();
  std::vector<PeerId> silent;
  for (const auto& [peer, member] : members_) {
    if (member.role == MemberRole::worker && now - member.last_heard > settings_.silence_limit) silent.push_back(peer);
  }
  for (const PeerId peer : silent) {
    remove_member(peer);
    commands_.push_back(Disconnect{peer});
  }
  if (!workers().empty() || !last_worked_) last_worked_ = now;
  if (!idle_ && now - *last_worked_ > settings_.silence_limit) enter_idle();
  conclude_if_due();
  go_on();
  commit_if_complete();
  return take_commands();
}

std::optional<Coordinator::Refusal> Coordinator::refusal_of(const wire::Hello& hello) const {
  if (hello.job_uid() != settings_.job_uid) return Refusal{"this is the coordinator of another job", true};
  if (hello.attempt() != settings_.attempt) {
    return Refusal{"this coordinator is of another attempt", hello.attempt() < settings_.attempt};
  }
  const std::optional<MemberRole> role = member_role_from(hello.role());
  if (!role) return Refusal{"only parameter servers and workers join a coordinator", true};
  if (hello.index() >= members_of(*role)) return Refusal{"this job has no such member", true};
  if (settings_.clips_by_norm && hello.protocol() < protocol_of_norms)
    return Refusal{std::string(refusal_without_norms), true};
  const Place place{*role, hello.index()};
  const auto newest = newest_.find(place);
  if (newest != newest_.end() && hello.incarnation() < newest->second) {
    return Refusal{"a newer incarnation has taken this place", true};
  }
  const auto hung = hung_.find(place);
  if (hung != hung_.end() && *role == MemberRole::worker && hello.incarnation() <= hung->second.incarnation &&
      !goes_on(hung->second, hello.alive())) {
    return Refusal{hung->second.why, false};
  }
  return std::nullopt;
}

void Coordinator::admit(PeerId peer, const wire::Hello& hello, Instant now) {
  if (members_.contains(peer)) return refuse(peer, "a stream carries one Hello", false);
  if (const auto refusal = refusal_of(hello)) return refuse(peer, refusal->reason, refusal->superseded);
  const std::optional<MemberRole> role = member_role_from(hello.role());
  const Place place{*role, hello.index()};
  require_same_data(hello, *role);
  std::optional<BatchSet> applied = applied_from(hello.held().applied());
  if (!applied) return refuse(peer, "it holds batches that this job cannot have applied", true);
  for (const auto& [other, member] : std::map(members_)) {
    if (Place{member.role, member.index} != place) continue;
    remove_member(other);
    refuse(other, "a newer stream has taken this place", member.incarnation < hello.incarnation());
  }

  const CrashPoint point("coordinator.admit");
  newest_[place] = hello.incarnation();
  hung_.erase(place);
  members_[peer] = Member{.role = *role,
                          .index = hello.index(),
                          .incarnation = hello.incarnation(),
                          .address = hello.address(),
                          .leases_max = leases_for(hello.leases(), settings_.workers_max),
                          .protocol = hello.protocol(),
                          .joined = now,
                          .last_heard = now};
  if (ended_) return send_end(peer);
  switch (*role) {
    case MemberRole::server:
      CHECK(!shards_.contains(hello.index()));
      gone_.erase(hello.index());
      shards_[hello.index()] = shard_from(peer, hello.held(), *std::move(applied));
      return start_or_load();
    case MemberRole::worker:
      if (hello.has_alive()) alive(members_.at(peer), hello.alive());
      assign_after_change(peer);
      leave_idle();
      return go_on();
  }
}

Coordinator::Shard Coordinator::shard_from(PeerId peer, const wire::Held& held, BatchSet applied) {
  return {.peer = peer,
          .timeline = held.timeline(),
          .version = held.version(),
          .limit = held.limit(),
          .applied = std::move(applied)};
}

std::uint32_t Coordinator::members_of(MemberRole role) const {
  switch (role) {
    case MemberRole::server:
      return settings_.servers;
    case MemberRole::worker:
      return settings_.workers_max;
  }
  throw Error(Blame::bug, "a member without a role");
}

// Throws if the member sees other data than the coordinator. Each process lists the data files again when it starts,
// and with other files the same batch number would mean other records.
void Coordinator::require_same_data(const wire::Hello& hello, MemberRole role) const {
  const std::string& order = hello.held().order().empty() ? hello.held().data() : hello.held().order();
  if (is_same_order(order, settings_.order)) return;
  throw Error(Blame::user, "spec.data.train: the data has changed: " +
                               std::string(role == MemberRole::server ? "parameter server " : "worker ") +
                               std::to_string(hello.index()) + " has " + describe_order(order) +
                               "; the coordinator has " + describe_order(comparable_text(order, settings_.order)) +
                               "; give the job back what it began with, or begin another job");
}

std::optional<BatchSet> Coordinator::applied_from(const WireRuns& runs) const {
  return runs_from(runs, end_of_job());
}

void Coordinator::refuse(PeerId peer, const std::string& reason, bool superseded) {
  wire::Message message;
  message.mutable_refused()->set_reason(reason);
  message.mutable_refused()->set_superseded(superseded);
  send(peer, std::move(message));
  commands_.push_back(Disconnect{peer});
}

void Coordinator::remove_member(PeerId peer) {
  const auto found = members_.find(peer);
  if (found == members_.end()) return;
  const CrashPoint point("coordinator.remove_member");
  const Member gone = found->second;
  members_.erase(found);
  switch (gone.role) {
    case MemberRole::server: {
      const auto shard = shards_.find(gone.index);
      if (shard == shards_.end()) return;  // a server that joins after the end of the job has no entry
      CHECK_EQ(shard->second.peer, peer);
      shards_.erase(shard);
      gone_[gone.index] = {gone.incarnation, now_};
      running_ = false;
      return;
    }
    case MemberRole::worker:
      std::erase_if(leases_, [&](const auto& lease) { return lease.second == peer; });
      assign_after_change(std::nullopt);
      go_on();
      return;
  }
}

bool Coordinator::all_servers_here() const {
  CHECK_LE(shards_.size(), settings_.servers);
  return shards_.size() == settings_.servers;
}

// Called when a server has joined or loaded, and after a commit. Training continues from the state that the servers
// hold if that is complete, otherwise from the last commit.
void Coordinator::start_or_load() {
  if (!all_servers_here() || ended_) return;
  const auto loading = [](const auto& shard) { return shard.second.loading; };
  if (std::any_of(shards_.begin(), shards_.end(), loading)) return;
  const std::uint64_t first = shards_.begin()->second.timeline;
  const auto holds_a_state = [&](const auto& shard) { return shard.second.timeline != 0; };
  const auto in_first_timeline = [&](const auto& shard) { return shard.second.timeline == first; };
  // In Sync all servers or none must apply a step. So they can continue together only in the same timeline (history of
  // updates). In Async it is enough that each server has a state.
  const bool complete = settings_.sync ? first != 0 && std::all_of(shards_.begin(), shards_.end(), in_first_timeline)
                                       : std::all_of(shards_.begin(), shards_.end(), holds_a_state);
  if (!complete) {
    // When the commit that is under way is done, it may remove earlier checkpoints, so a server that loads one of them
    // now could fail. committed() calls this function again.
    if (committing_) return;
    return load_last_commit();
  }
  if (settings_.sync) {
    // The open cuts and the limit belong to the timeline in which this coordinator ordered them. If the servers are in
    // another timeline, both are dropped.
    if (timeline_ != first) {
      open_cuts_.clear();
      limit_ = 0;
    }
    timeline_ = first;
  }
  start_training();
}

// In Sync all servers load the last commit. In Async only servers without a state do; the batches that they lack are
// granted again.
void Coordinator::load_last_commit() {
  const CrashPoint point("coordinator.load_last_commit");
  timeline_ = new_timeline();
  running_ = false;
  open_cuts_.clear();
  if (settings_.sync) limit_ = 0;
  for (auto& [index, shard] : shards_) {
    if (!settings_.sync && shard.timeline != 0) continue;
    shard.timeline = 0;
    shard.loading = true;
    wire::Message message;
    wire::Load& load = *message.mutable_load();
    load.set_timeline(timeline_);
    load.set_manifest(committed_.manifest);
    load.set_manifest_crc32c(committed_.manifest_crc32c);
    *load.mutable_applied() = wire_from(committed_.applied);
    load.set_resumed(committed_.resumed);
    load.set_data(settings_.order.legacy);
    load.set_order(settings_.order.text);
    load.set_initial_weights(settings_.initial_weights);
    send(shard.peer, std::move(message));
  }
}

void Coordinator::loaded(const Member& member, const wire::Loaded& message) {
  const auto found = shards_.find(member.index);
  if (found == shards_.end() || message.timeline() != timeline_) return;
  Shard& shard = found->second;
  std::optional<BatchSet> applied = applied_from(message.applied());
  if (!applied) return refuse(shard.peer, "it has loaded batches that this job cannot have applied", true);
  const CrashPoint point("coordinator.loaded");
  shard.loading = false;
  shard.timeline = message.timeline();
  shard.version = message.version();
  shard.limit = 0;
  shard.applied = *std::move(applied);
  start_or_load();
}

void Coordinator::start_training() {
  CHECK(all_servers_here());
  CHECK(!ended_);
  const CrashPoint point("coordinator.start_training");
  running_ = true;
  if (settings_.sync) {
    // The servers may have a limit from an earlier coordinator. If that coordinator did not know the end of the job,
    // its limit may be beyond the end.
    for (const auto& [index, shard] : shards_) limit_ = std::max({limit_, shard.version, shard.limit});
    limit_ = std::min(limit_, end_of_job());
    for (const auto& [version, cut] : open_cuts_) order(cut);
    norms_.clear();
    send_limit(true);
  } else {
    // With a new timeline, no acknowledgement of an earlier push counts. The server that sent it may have been replaced
    // since, and may have lost the batch.
    timeline_ = new_timeline();
    leases_.clear();
    open_cuts_.clear();
    count_what_servers_hold();
  }
  // If the servers hold more than the last commit, an earlier coordinator has trained since. last_cut_ then stays
  // empty, so that a cut is due immediately.
  if (!last_cut_ && batches_done() <= committed_.version) last_cut_ = time_to_count_from();
  assign(workers());
  go_on();
  order_idle_cut();
}

// Returns the time from which time_per_cut counts for the first cut. After a restart that time is before now_, so that
// the first cut is due soon, and a job that is killed again and again still makes progress.
Instant Coordinator::time_to_count_from() const {
  constexpr std::chrono::milliseconds soon = std::chrono::seconds(60);
  const bool is_restart = settings_.attempt > 0 || settings_.incarnation > 1;
  if (!is_restart || !settings_.time_per_cut) return now_;
  return now_ - std::max(*settings_.time_per_cut - soon, std::chrono::milliseconds(0));
}

void Coordinator::end() {
  CHECK(!ended_);
  const CrashPoint point("coordinator.end");
  ended_ = true;
  for (const auto& [peer, member] : members_) send_end(peer);
  commands_.push_back(EndProcess{});
}

void Coordinator::send_end(PeerId peer) {
  wire::Message message;
  message.mutable_end()->set_exit_code(0);
  send(peer, std::move(message));
}

std::uint64_t Coordinator::batches_done() const {
  if (!settings_.sync) return done_.count();
  std::uint64_t lowest = end_of_job();
  for (const auto& [index, shard] : shards_) lowest = std::min(lowest, shard.version);
  return all_servers_here() ? lowest : committed_.version;
}

}  // namespace carrack::train
