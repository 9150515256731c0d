#include "trainer/comm/protocol/worker.h"

#include <algorithm>

#include "dataloader/check.h"
#include "trainer/error.h"
#include "trainer/points.h"

namespace carrack::train {
namespace {

// Requests the newest parameters, if sent as Want.version.
constexpr std::uint64_t newest_version = ~std::uint64_t{0};

}  // namespace

Worker::Worker(bool sync, int lanes, std::vector<ServerRange> ranges, std::size_t size)
    : sync_(sync), all_lanes_(lanes), ranges_(std::move(ranges)), size_(size) {
  for (const ServerRange range : ranges_) CHECK_LE(range.begin + range.size, size);
  if (has_one_server()) {
    CHECK_EQ(ranges_.front().size, size);
  } else {
    assembled_ = std::make_shared<Floats>(size);
  }
}

void Worker::coordinator_is(PeerId peer) {
  const CrashPoint point("worker.coordinator_is");
  coordinator_ = peer;
}

Worker::Commands Worker::received(PeerId from, FramePart part) {
  const wire::Message& message = *part.message;
  if (from == coordinator_) {
    if (message.has_assignment()) assigned(message.assignment());
    if (message.has_grant()) granted(message.grant());
    if (message.has_refused()) refused();
    return take_commands();
  }
  for (auto& [index, server] : servers_) {
    if (server.peer != from) continue;
    if (message.has_parameters()) received_parameters(index, message.parameters(), std::move(part.piece));
    if (message.has_applied()) received_applied(index, message.applied());
    break;
  }
  return take_commands();
}

Worker::Commands Worker::connected(std::uint32_t server, PeerId peer) {
  const CrashPoint point("worker.connected");
  CHECK(servers_.contains(server));
  servers_.at(server).peer = peer;
  begin();
  return take_commands();
}

Worker::Commands Worker::closed(PeerId peer) {
  const CrashPoint point("worker.closed");
  if (peer == coordinator_) {
    // The next coordinator grants all unfinished batches again, so the leases of this worker are over. If two workers
    // push the same batch, servers apply it once.
    coordinator_ = 0;
    leases_.clear();
  }
  for (auto& [index, server] : servers_) {
    if (server.peer != peer) continue;
    server.peer = 0;
    server.version.reset();
    server.awaited = 0;
    server.incoming = {};
    commands_.push_back(Connect{index, server.address, server.incarnation});
  }
  return take_commands();
}

void Worker::assigned(const wire::Assignment& message) {
  if (static_cast<std::size_t>(message.servers_size()) != ranges_.size()) {
    throw Error(Blame::bug, "an assignment names another number of servers than the job has");
  }
  const CrashPoint point("worker.assigned");
  bool only_lanes_change = message.timeline() == timeline_;
  if (!only_lanes_change) {
    leases_.clear();
    next_ = 0;
    for (auto& [index, server] : servers_) server.newest = 0;
  }
  timeline_ = message.timeline();
  if (message.total_batches() != 0) total_ = message.total_batches();
  assignment_ = message.number();
  lanes_ = Range{message.first_lane(), message.first_lane() + message.lane_count()};
  lanes_in_batch_ = message.lanes();
  for (const wire::Server& assigned : message.servers()) {
    if (assigned.index() >= ranges_.size())
      throw Error(Blame::bug, "an assignment names a server that the job has not");
    Server& server = servers_[assigned.index()];
    if (server.address == assigned.address() && server.incarnation == assigned.incarnation()) continue;
    only_lanes_change = false;
    if (server.peer != 0) commands_.push_back(Disconnect{std::exchange(server.peer, 0)});
    server.address = assigned.address();
    server.incarnation = assigned.incarnation();
    commands_.push_back(Connect{assigned.index(), server.address, server.incarnation});
  }
  if (only_lanes_change && has_work() && awaits_newest()) return;  // any lanes need the same parameters
  for (auto& [index, server] : servers_) {
    server.version.reset();
    server.awaited = 0;
  }
  begin();
}

void Worker::granted(const wire::Grant& message) {
  if (message.timeline() != timeline_ || leaving_) return;
  const CrashPoint point("worker.granted");
  const bool idle = leases_.empty();
  for (const std::uint64_t batch : message.batches()) leases_.push_back(batch);
  if (idle) begin();
}

// Called when the coordinator refuses this worker, for example because it seemed to hang. Other workers have its lanes
// and leases now. So this worker drops them and waits for another assignment, even if the coordinator is replaced
// meanwhile.
void Worker::refused() {
  const CrashPoint point("worker.refused");
  lanes_ = {};
  leases_.clear();
}

bool Worker::all_servers_here() const {
  const auto here = [](const auto& server) { return server.second.peer != 0; };
  return !servers_.empty() && std::all_of(servers_.begin(), servers_.end(), here);
}

void Worker::begin() {
  if (!has_work()) {
    // A worker that never had an assignment has nothing to report, so it need not wait for a coordinator.
    const bool can_report = coordinator_ != 0 || timeline_ == 0;
    if (leaving_ && !computing_ && can_report) send_leaving(0);
    return;
  }
  if (!all_servers_here()) return;
  begin_again_ = computing_.has_value();
  if (begin_again_) return;
  pushed_ = false;
  asked_newest_ = true;
  for (auto& [index, server] : servers_) {
    server.acknowledged = false;
    want(server, newest_version);
  }
}

// True if the newest parameters were requested from all servers since the last push, and not all of them have arrived.
// What the servers answer then does not depend on lanes. A Want that came with a push is answered only once the step of
// that push is applied, and that may need this worker's new lanes.
bool Worker::awaits_newest() const {
  return asked_newest_ && std::ranges::any_of(servers_, [](const auto& server) { return server.second.awaited != 0; });
}

// Returns the id for a Want that is about to be sent to this server.
std::uint64_t Worker::new_want(Server& server) {
  server.version.reset();
  received_.reset();  // frees the old parameters, so that memory need not have room for two versions
  server.awaited = ++wants_;
  return server.awaited;
}

void Worker::want(Server& server, std::uint64_t version) {
  wire::Message message;
  message.mutable_want()->set_timeline(timeline_);
  message.mutable_want()->set_version(version);
  message.mutable_want()->set_id(new_want(server));
  send(server.peer, std::move(message));
}

// True if the parameters of every server have arrived or are requested.
bool Worker::wants_all() const {
  return std::ranges::all_of(
      servers_, [](const auto& server) { return server.second.version.has_value() || server.second.awaited != 0; });
}

void Worker::received_parameters(std::uint32_t index, const wire::Parameters& message, Piece piece) {
  Server& server = servers_.at(index);
  if (sync_ && message.timeline() != timeline_) return;
  // This answers a Want that was replaced by a later one. If it were used, the answer to the later Want would cause the
  // same step to be computed again, and so for each step from then on.
  if (message.id() != 0 && message.id() != server.awaited) return;
  // A Compute is using parameters(). Another Want is sent when it ends, so this answer is not needed.
  if (computing_) return;
  const ServerRange range = ranges_.at(index);
  if (piece.total() != range.size) throw Error(Blame::bug, "a server sent another range than its own");
  const CrashPoint point("worker.received_parameters");
  server.version.reset();  // until the last piece arrives its range is a mix of two versions, so no Compute may begin
  if (!complete_parameters(server, range, std::move(piece))) return;
  server.awaited = 0;
  server.version = message.version();
  server.newest = std::max(server.newest, message.version());
  compute_if_ready();
}

// Stores the next piece of a server's range. Returns true if that completes the range.
bool Worker::complete_parameters(Server& server, ServerRange range, Piece piece) {
  if (has_one_server()) {
    std::optional<Tail> values = server.incoming.add(std::move(piece));
    if (values) received_ = std::move(*values).share();
    return values.has_value();
  }
  if (piece.begin() == 0) server.arrived = 0;
  if (piece.begin() != server.arrived) return false;  // earlier pieces of this range were ignored
  server.arrived = piece.end();
  piece.copy(piece.begin(), std::span(*assembled_).subspan(range.begin + piece.begin(), piece.end() - piece.begin()));
  return piece.is_last();
}

// Sync: true if the parameters of all servers are of one version. If not, requests some of them again.
bool Worker::versions_agree() {
  std::uint64_t lowest = newest_version;
  std::uint64_t highest = 0;
  for (const auto& [index, server] : servers_) {
    CHECK(server.version);
    lowest = std::min(lowest, *server.version);
    highest = std::max(highest, *server.version);
  }
  // If a worker died between its pushes, one server is a step ahead. The other servers still have to apply that step,
  // and the server that is ahead has retained the previous version. Versions that are two steps apart are out of date,
  // so all are requested again.
  for (auto& [index, server] : servers_) {
    if (highest - lowest > 1) {
      want(server, newest_version);
    } else if (server.version != lowest) {
      want(server, lowest);
    }
  }
  return lowest == highest;
}

// Sync: true if a server has applied the step of this batch, which other servers may not have. This is decided by the
// newest version of each server, since its last answer may be of an older one.
bool Worker::is_half_done(std::uint64_t batch) const {
  return std::any_of(servers_.begin(), servers_.end(),
                     [&](const auto& server) { return server.second.newest > batch; });
}

// Returns a Compute to the caller if there is work, none is under way, and the parameters of all servers have arrived.
void Worker::compute_if_ready() {
  const auto has_parameters = [](const auto& server) { return server.second.peer != 0 && server.second.version; };
  if (computing_ || pushed_ || !std::all_of(servers_.begin(), servers_.end(), has_parameters)) return;
  if (!has_work() || (sync_ && !versions_agree())) return;
  const std::uint64_t batch = sync_ ? *servers_.begin()->second.version : leases_.front();
  if (leaving_ && sync_ && !is_half_done(batch) && coordinator_ != 0) return send_leaving(batch);
  if (batch >= total_) return;
  CHECK(!computing_);
  computing_ = Computing{batch, timeline_, assignment_, sync_ ? lanes_in_batch_ : 0};
  Compute compute{batch, sync_ ? lanes_ : Range{0, all_lanes_}, computing_->lanes_in_batch};
  for (const auto& [index, server] : servers_) computing_->versions.push_back(server.version.value());
  if (!sync_) compute.leases.assign(std::next(leases_.begin()), leases_.end());
  commands_.push_back(std::move(compute));
}

Worker::Doing Worker::doing() const {
  using Kind = Doing::Kind;
  if (computing_) return {Kind::computes, computing_->timeline, computing_->batch};
  if (!has_work() || pushed_) return {Kind::nothing, timeline_};
  const std::uint64_t batch = sync_ ? next_ : leases_.front();
  for (const auto& [index, server] : servers_) {
    if (!server.version) return {Kind::awaits_parameters, timeline_, batch, index};
  }
  return {Kind::nothing, timeline_};
}

Worker::Commands Worker::computed(std::vector<Gradient> gradients) {
  const CrashPoint point("worker.computed");
  CHECK(computing_);
  const Computing done = *std::exchange(computing_, std::nullopt);
  const bool again = std::exchange(begin_again_, false);
  const bool stale = done.timeline != timeline_ || (!sync_ && (leases_.empty() || leases_.front() != done.batch));
  if (stale || !all_servers_here()) {
    begin();
    return take_commands();
  }
  records_ = 0;
  loss_ = 0;
  for (const Gradient& gradient : gradients) {
    records_ += gradient.records;
    loss_ += gradient.loss;
  }
  CHECK(!gradients.empty());
  const bool wants_next = !again && (sync_ || leases_.size() > 1);
  for (auto& [index, server] : servers_) {
    server.version.reset();
    for (const Gradient& gradient : gradients) {
      const bool is_last = &gradient == &gradients.back();
      push(index, done, gradient, is_last && wants_next ? new_want(server) : 0);
    }
  }
  pushed_ = !sync_;
  asked_newest_ = false;
  next_ = done.batch + 1;
  // The lanes may have changed meanwhile. begin() then requests parameters for the new lanes. If there are none, and
  // leave() was called, the worker leaves.
  if (sync_ && (again || !has_work())) begin();
  return take_commands();
}

Worker::Commands Worker::ended(std::uint64_t total) {
  const CrashPoint point("worker.ended");
  CHECK(computing_);
  total_ = total;
  computing_.reset();
  if (std::exchange(begin_again_, false)) begin();
  compute_if_ready();
  return take_commands();
}

Worker::Commands Worker::leave() {
  const CrashPoint point("worker.leave");
  leaving_ = true;
  leases_.resize(std::min<std::size_t>(leases_.size(), 1));
  if (!has_work()) begin();
  return take_commands();
}

Worker::Commands Worker::leave_at_once() {
  send_leaving(0);
  return take_commands();
}

void Worker::send_leaving(std::uint64_t version) {
  wire::Message message;
  message.mutable_leaving()->set_timeline(timeline_);
  message.mutable_leaving()->set_version(version);
  if (coordinator_ != 0) send(coordinator_, std::move(message));
  commands_.push_back(Leave{});
}

void Worker::push(std::uint32_t server, const Computing& from, const Gradient& gradient, std::uint64_t want) {
  CHECK(gradient.sum);
  CHECK_EQ(gradient.sum->size(), size_);
  wire::Message message;
  wire::Push& push = *message.mutable_push();
  push.set_timeline(timeline_);
  push.set_batch(from.batch);
  push.set_first_lane(static_cast<std::uint32_t>(gradient.lanes.begin));
  push.set_lane_count(static_cast<std::uint32_t>(gradient.lanes.size()));
  push.set_records(gradient.records);
  push.set_loss(gradient.loss);
  push.set_first_pass(gradient.first_pass);
  push.set_assignment(from.assignment);
  push.set_lanes(from.lanes_in_batch);
  push.set_squares(gradient.squares);
  push.set_want(want);
  if (!sync_) push.set_version(from.versions.at(server));
  if (gradient.skipped.records > 0) *push.mutable_skipped() = wire_from(gradient.skipped);
  send(servers_.at(server).peer, std::move(message), tail_for(ranges_.at(server), gradient));
}

// With one server the sum is moved into the tail, so that the server's stream can free it. Several servers share the
// sum.
Tail Worker::tail_for(ServerRange range, const Gradient& gradient) const {
  if (has_one_server()) return Tail(std::move(*gradient.sum));
  return {gradient.sum, std::span(*gradient.sum).subspan(range.begin, range.size)};
}

void Worker::received_applied(std::uint32_t index, const wire::Applied& message) {
  if (message.timeline() != timeline_ || leases_.empty() || message.batch() != leases_.front()) return;
  {
    const CrashPoint point("worker.applied");
    servers_.at(index).acknowledged = true;
    servers_.at(index).staleness = message.staleness();
  }
  const auto acknowledged = [](const auto& server) { return server.second.acknowledged; };
  if (!std::all_of(servers_.begin(), servers_.end(), acknowledged)) return;
  std::uint64_t staleness = 0;
  for (const auto& [server_index, server] : servers_) staleness = std::max(staleness, server.staleness);
  const CrashPoint point("worker.finished");
  wire::Message report;
  report.mutable_finished()->set_timeline(timeline_);
  report.mutable_finished()->set_batch(leases_.front());
  report.mutable_finished()->set_loss(loss_);
  report.mutable_finished()->set_records(records_);
  report.mutable_finished()->set_staleness(staleness);
  if (coordinator_ != 0) send(coordinator_, std::move(report));
  leases_.pop_front();
  if (!has_work() || !wants_all()) return begin();
  pushed_ = false;
  for (auto& [server_index, server] : servers_) server.acknowledged = false;
  compute_if_ready();
}

void Worker::send(PeerId peer, wire::Message message, Tail tail) {
  commands_.push_back(Send{peer, std::move(message), std::move(tail)});
}

}  // namespace carrack::train
